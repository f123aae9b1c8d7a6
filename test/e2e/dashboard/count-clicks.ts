import type { Page } from 'playwright-core'
import { z } from 'zod'

/** Counts what a person presses on a page from here on; typing does not count. */
export const countClicks = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate(() => {
    let clicks = 0
    addEventListener('click', () => (clicks += 1), true)
    Object.assign(window, { countClicks: () => clicks })
  })
  return async () => z.number().parse(await page.evaluate('countClicks()'))
}
