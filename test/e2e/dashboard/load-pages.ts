import type { BrowserContext } from 'playwright-core'
import type { Scene } from './scene.ts'
import { VIEWS } from './views.ts'
import { openPage, watchPage } from './watch-page.ts'

/**
 * Loads every page again with its scripts and its service worker, shows it in both themes, and opens
 * the palette on the last one. Returns what the browser reported.
 */
export const loadPages = async (context: BrowserContext, scene: Scene): Promise<string[]> => {
  const { address } = scene.daemon
  const page = await context.newPage()
  const { complaints } = watchPage(page, address)
  const found: string[] = []
  for (const path of Object.values(VIEWS).flatMap((pathsOf) => pathsOf(scene))) {
    await openPage(page, `${address}${path}`)
    for (const colorScheme of ['dark', 'light'] as const) await page.emulateMedia({ colorScheme })
    found.push(...complaints.splice(0).map((text) => `${path}: ${text}`))
  }
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search or run a command' })
  await palette.getByRole('combobox').fill('wattline')
  await palette
    .getByRole('option', { name: /Wattline/ })
    .first()
    .waitFor()
  found.push(...complaints.map((text) => `the palette: ${text}`))
  await page.close()
  return found
}
