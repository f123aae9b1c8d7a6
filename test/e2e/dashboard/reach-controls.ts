import type { CDPSession, Page } from 'playwright-core'
import { z } from 'zod'

/** One key press as the browser receives it from a keyboard. */
const TAB = { type: 'rawKeyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 } as const
const PRESSES_AT_ONCE = 20

const progress = z.object({ isRound: z.boolean(), stops: z.number(), found: z.array(z.string()) })

/**
 * Presses Tab until the focus is back where it started; returns the problems for keyboard users:
 * controls that never got the focus, focus traps, and stops without a visible focus. Controls that
 * a widget reaches by arrow keys (tabs, radio buttons, the rows of a long list) share one stop. If
 * `within` is a dialog, the focus must not leave it.
 */
export const findUnreachable = async (page: Page, within = 'body'): Promise<string[]> => {
  await page.evaluate(beginRound, within)
  const keyboard = await keyboardOf(page)
  const most = await page.evaluate(() => 2 * document.querySelectorAll('*').length)
  for (let presses = 0; presses < most; presses += PRESSES_AT_ONCE) {
    await Promise.all(
      Array.from({ length: PRESSES_AT_ONCE }, () => keyboard.send('Input.dispatchKeyEvent', TAB)),
    )
    const { isRound, stops, found } = progress.parse(await page.evaluate('lookAtRound()'))
    if (isRound) return found
    if (stops === 0) return ['Tab goes nowhere']
  }
  return ['Tab never comes back to where it was']
}

const keyboards = new WeakMap<Page, Promise<CDPSession>>()
const keyboardOf = (page: Page): Promise<CDPSession> => {
  const known = keyboards.get(page) ?? page.context().newCDPSession(page)
  keyboards.set(page, known)
  return known
}

/** Runs in the page. */
const beginRound = (within: string): void => {
  const CONTROLS = 'a[href], button, input, select, textarea, summary, [contenteditable]'
  const root = document.querySelector(within)
  const name = (element: Element): string => element.outerHTML.slice(0, 160)
  const found = new Set<string>()
  const controls = [...(root?.querySelectorAll(CONTROLS) ?? [])].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.matches(':disabled, [role=tab][aria-selected=false], [data-arrows] [tabindex="-1"]'),
  )
  for (const element of root?.querySelectorAll('*') ?? []) {
    const acts = getComputedStyle(element).cursor === 'pointer'
    if (acts && element.closest(`${CONTROLS}, label, [role=option]`) === null)
      found.add(`can be clicked, and is no control: ${name(element)}`)
  }

  const hasRing = (element: Element): boolean => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0
  }
  /** The sides of a focus ring that an ancestor clips. */
  const cutSides = (element: Element): number => {
    const { outlineOffset, outlineWidth } = getComputedStyle(element)
    const out = Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth) / 2
    const { top, right, bottom, left } = element.getBoundingClientRect()
    const cut = new Set<string>()
    for (let above = element.parentElement; above !== null; above = above.parentElement) {
      if (getComputedStyle(above).overflow === 'visible' || above === document.body) continue
      const edge = above.getBoundingClientRect()
      if (top - out < edge.top) cut.add('top')
      if (right + out > edge.right) cut.add('right')
      if (bottom + out > edge.bottom) cut.add('bottom')
      if (left - out < edge.left) cut.add('left')
    }
    return cut.size
  }
  const reached = new Set<Element>()
  let stops = 0
  let isPressed = false
  let isRound = false
  const onFocus = ({ target }: FocusEvent): void => {
    // A window that comes to the front repeats its focus event without a key press.
    if (isRound || !isPressed || !(target instanceof Element)) return
    isPressed = false
    stops += 1
    if (root instanceof HTMLDialogElement && !root.contains(target))
      found.add(`the focus is outside, at ${name(target)}`)
    isRound = reached.has(target)
    reached.add(target)
  }
  // By the next key press, the page has scrolled to the focused element.
  const onKey = (): void => {
    isPressed = true
    const target = document.activeElement
    if (isRound || target === null || target === document.body) return
    const parents = [target, target.parentElement, target.parentElement?.parentElement]
    const ringed = parents.flatMap((each) => each ?? []).find(hasRing)
    if (ringed === undefined) found.add(`does not show the focus: ${name(target)}`)
    else if (cutSides(ringed) > 1) found.add(`most of its focus ring is cut off: ${name(target)}`)
    const [box] = target.getClientRects()
    if (box === undefined) return
    const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    const isSeen = seen !== null && (target.contains(seen) || seen.contains(target))
    if (!isSeen)
      found.add(`has the focus behind ${seen === null ? 'the edge' : name(seen)}: ${name(target)}`)
  }
  // On a whole page the round starts at the top, because the browser does not always return to the
  // middle.
  if (root?.matches('html, [role=tabpanel]') !== false || !root.contains(document.activeElement)) {
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
  }
  document.addEventListener('focusin', onFocus)
  document.addEventListener('keydown', onKey, true)

  const isReached = (element: Element): boolean => {
    if (!element.isConnected || reached.has(element)) return true
    if (!(element instanceof HTMLInputElement) || element.type !== 'radio') return false
    return [...reached].some(
      (each) => each instanceof HTMLInputElement && each.name === element.name,
    )
  }
  Object.assign(window, {
    lookAtRound: () => {
      if (!isRound) return { isRound, stops, found: [] }
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('keydown', onKey, true)
      // The link that skips the navigation covers a part of the page while it has the focus.
      if (!(root instanceof HTMLDialogElement) && document.activeElement instanceof HTMLElement)
        document.activeElement.blur()
      for (const each of controls) if (!isReached(each)) found.add(`no way by Tab: ${name(each)}`)
      return { isRound, stops, found: [...found] }
    },
  })
}
