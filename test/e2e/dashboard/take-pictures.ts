import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openPage } from './watch-page.ts'

const FOLDER = join(import.meta.dirname, '../../../docs/images')
const PICTURES = {
  today: '/today',
  sessions: '/sessions',
  session: '/sessions/a3d42f11-queue',
  flows: '/flows',
  events: '/events',
  knowledge: '/knowledge',
  security: '/security?tab=events',
  experiments: '/ladder',
} as const

/** Writes `docs/images/<page>-<theme>.png`. With `STEWARD_PICTURES=yes`; see docs/dashboard.md. */
export const takePictures = async (page: Page, address: string, home: string): Promise<void> => {
  mkdirSync(FOLDER, { recursive: true })
  await page.setViewportSize({ width: 1200, height: 760 })
  for (const [name, path] of Object.entries(PICTURES)) {
    await openPage(page, `${address}${path}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.evaluate(showUsualHome, home)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) })
    }
  }
}

/** Runs in the page: readers have their data home at the usual place, not in a temporary folder. */
const showUsualHome = (home: string): void => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.nodeValue?.includes(home)) {
      text.nodeValue = text.nodeValue.replaceAll(home, '~/.steward')
    }
  }
}
