import type { Page } from 'playwright-core'

/**
 * Presses Tab through the whole page; gives back the controls that never had the focus. Those that a
 * widget moves to by arrows (tabs, options, radio buttons) have one stop together.
 */
export const unreachedControls = async (page: Page): Promise<string[]> => {
  const count = await page.evaluate(() => {
    const controls = [
      ...document.querySelectorAll<HTMLElement>(
        'a[href], button, input, select, textarea, summary',
      ),
    ].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.matches(':disabled, [type=radio]') &&
        element.closest('[role=tablist] [aria-selected=false], [role=listbox]') === null,
    )
    const reached = new Set<EventTarget>()
    document.addEventListener('focusin', ({ target }) => target && reached.add(target))
    Object.assign(window, { controls, reached })
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    return document.querySelectorAll(
      'a[href], button, input, select, textarea, summary, [tabindex]',
    ).length
  })
  for (let press = 0; press <= count; press++) await page.keyboard.press('Tab')
  const names: unknown = await page.evaluate(
    'controls.filter((each) => each.isConnected && !reached.has(each)).map((each) => each.outerHTML.slice(0, 160))',
  )
  return Array.isArray(names) ? names.map(String) : []
}
