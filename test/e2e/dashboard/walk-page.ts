import type { Page } from 'playwright-core'
import { unreachedControls } from './reach-controls.ts'
import {
  ALL_RULES,
  COLOUR_RULES,
  findViolations,
  openPage,
  settle,
  sidewaysPixels,
} from './watch-page.ts'

export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

/** What axe has against what is shown, in both themes; `within` a part of the page, else all of it. */
export const violationsInBothThemes = async (page: Page, within = 'html'): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await findViolations(page, ALL_RULES, { within })
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await findViolations(page, COLOUR_RULES, { within })
  return [...light, ...dark.map((text) => `in the dark: ${text}`)]
}

/**
 * Everything that must hold of every page: on a desk and on a phone, in both themes, on each of its
 * tabs, and by the keyboard. Loaded once: what changes is the window, as a person would change it.
 * A page of the navigation has its colours measured on a phone too; elsewhere those of the desk stand
 * for them, because measuring takes longer than all other rules together.
 */
export const walkPage = async (page: Page, address: string, isMain: boolean): Promise<string[]> => {
  await page.setViewportSize(DESKTOP)
  await openPage(page, address)
  const found = (await unreachedControls(page)).map((control) => `no way by Tab: ${control}`)
  const look = async (name: string, onPhone: (page: Page) => Promise<string[]>): Promise<void> => {
    const note = (place: string, texts: readonly string[]) =>
      found.push(...texts.map((text) => `${name} on ${place}: ${text}`))
    await page.setViewportSize(DESKTOP)
    note('a desk', await violationsInBothThemes(page))
    note('a desk', await sidewaysMoves(page))
    await page.setViewportSize(PHONE)
    note('a phone', await onPhone(page))
    note('a phone', await sidewaysMoves(page))
  }
  const tabs = await page.getByRole('tab').all()
  await look('', isMain ? (each) => violationsInBothThemes(each) : violationsButColours)
  for (const tab of tabs.slice(1)) {
    await tab.click()
    await settle(page)
    await look((await tab.textContent()) ?? '', violationsButColours)
  }
  return found
}

const violationsButColours = (page: Page): Promise<string[]> =>
  findViolations(page, ALL_RULES, { without: COLOUR_RULES })

const sidewaysMoves = async (page: Page): Promise<string[]> => {
  const pixels = await sidewaysPixels(page)
  return pixels === 0 ? [] : [`it can be moved sideways by ${pixels}`]
}
