import type { Page } from 'playwright-core'
import { findSmallTargets } from './find-small-targets.ts'
import { ALL_RULES, COLOUR_RULES, findViolations } from './find-violations.ts'
import { findUnreachable } from './reach-controls.ts'

export const DESKTOP = { width: 1280, height: 800 }
/** A large screen. */
export const WIDE = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

/**
 * Finds problems of the visible page or a part of it: on a phone, a desktop and a large screen, in
 * both themes, and by keyboard. Resizes the window as a person would, without reloading. The frame around every
 * page (`header.side`) is checked once separately, and with a whole page only for rules about the
 * structure of the page.
 */
export const lookAt = async (page: Page, within = 'html'): Promise<string[]> => {
  const own = within === 'html' ? 'main' : within
  const found: string[] = []
  const note = (place: string, texts: readonly string[]) =>
    found.push(...texts.map((text) => `${place}: ${text}`))
  const reach = () => findUnreachable(page, within)
  note('anywhere', await findPromises(page, own))
  await resize(page, PHONE)
  note('on a phone', await findViolations(page, own, ALL_RULES))
  note('on a phone', await findSmallTargets(page, own))
  await page.emulateMedia({ colorScheme: 'dark' })
  note('on a phone in the dark', await findViolations(page, own, COLOUR_RULES))
  note('on a phone', await reach())
  note('on a phone', await findSidewaysMove(page))
  await resize(page, WIDE)
  note('on a wide screen in the dark', await findViolations(page, own, ALL_RULES))
  note('on a wide screen', await reach())
  note('on a wide screen', await findSidewaysMove(page))
  await page.emulateMedia({ colorScheme: 'light' })
  note('on a wide screen', await findViolations(page, own, COLOUR_RULES))
  await page.emulateMedia({ colorScheme: 'dark' })
  await resize(page, DESKTOP)
  note('in the dark', await findViolations(page, own, COLOUR_RULES))
  await page.emulateMedia({ colorScheme: 'light' })
  note('on a desk', await findViolations(page, within, ALL_RULES))
  note('on a desk', await reach())
  note('on a desk', await findSidewaysMove(page))
  return found
}

/** A page or tab shows what there is; what may exist one day has no place on it. */
const findPromises = async (page: Page, within: string): Promise<string[]> => {
  const text = (await page.locator(within).allInnerTexts()).join('\n')
  return text.match(PROMISES) ?? []
}

const PROMISES =
  /.*\b(?:(?:in|for) a (?:later|future) version|coming soon|not (?:available|implemented|built) yet|under construction|to be done)\b.*/gi

/** Resize observers on the page run in the next frame. */
const resize = async (page: Page, size: typeof PHONE): Promise<void> => {
  await page.setViewportSize(size)
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

const findSidewaysMove = async (page: Page): Promise<string[]> => {
  const pixels = await page.evaluate(() => {
    window.scrollTo(10_000, window.scrollY)
    return window.scrollX
  })
  return pixels === 0 ? [] : [`it can be moved sideways by ${pixels}`]
}
