import type { Page } from 'playwright-core'
import { lookAt } from './look-at.ts'
import { goInApp, settle } from './watch-page.ts'

/**
 * Checks a page on each of its tabs, with one collapsed section of each kind opened. The area
 * around the tabs is checked with the first tab only; an arrow key moves from one tab to the next.
 */
export const walkPage = async (page: Page, path: string, hasTabs: boolean): Promise<string[]> => {
  await goInApp(page, path)
  await unfold(page)
  const found = await lookAt(page)
  const tabs = page.getByRole('tab')
  const count = await tabs.count()
  if (count > 1 !== hasTabs) found.push(`${count} tabs`)
  for (let index = 1; index < count; index++) {
    await page.getByRole('tab', { selected: true }).focus()
    await page.keyboard.press('ArrowRight')
    const tab = tabs.nth(index)
    const title = (await tab.textContent()) ?? ''
    if ((await tab.getAttribute('aria-selected')) !== 'true') found.push(`no arrow to ${title}`)
    await settle(page)
    await unfold(page)
    found.push(...(await lookAt(page, '[role=tabpanel]')).map((text) => `${title}: ${text}`))
  }
  return found
}

/** The tabs of a page as named in the address; the first one has no name there. */
export const readTabs = (page: Page): Promise<string[]> =>
  page.getByRole('tab').evaluateAll((tabs) => tabs.map(({ id }) => id.slice(id.indexOf('-') + 1)))

const unfold = async (page: Page): Promise<void> => {
  await page.evaluate(() => {
    const kindOf = (each: Element) => `${each.parentElement?.className} ${each.className}`
    const OPEN = 'main details[open] > summary, main [aria-expanded=true]'
    const FOLDED = 'main details:not([open]) > summary, main [aria-expanded=false]'
    const kinds = new Set([...document.querySelectorAll(OPEN)].map(kindOf))
    for (const each of document.querySelectorAll<HTMLElement>(FOLDED)) {
      if (!kinds.has(kindOf(each))) each.click()
      kinds.add(kindOf(each))
    }
  })
  await settle(page)
}
