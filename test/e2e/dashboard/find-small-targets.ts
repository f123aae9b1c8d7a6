import type { Page } from 'playwright-core'
import { z } from 'zod'

/**
 * Controls of the visible page that a thumb misses: less than 44 by 44 CSS pixels react to them. The
 * area is measured with the browser's own hit test, from the middle of the control outwards, so that
 * a label, an overlay of a pseudo-element, and anything that covers the control count as they do for
 * a finger.
 *
 * Exempt are links in a sentence, as in WCAG 2.5.8 (inline): the line height of the text around them
 * determines their size. A link that stands alone in its paragraph or cell is no such link.
 */
export const findSmallTargets = async (page: Page, within: string): Promise<string[]> =>
  z.array(z.string()).parse(await page.evaluate(measure, within))

/** Runs in the page. */
const measure = (within: string): string[] => {
  const LEAST = 44
  const ROLES = ['button', 'tab', 'option', 'menuitem', 'switch', 'checkbox', 'radio', 'link']
  const CONTROLS = `a[href], button, input, select, textarea, summary, ${ROLES.map((role) => `[role=${role}]`)}`

  const isSeen = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.matches('.visually-hidden:not(input)')

  /** Words of the same block of text outside of any control. */
  const isInSentence = (element: Element): boolean => {
    if (!element.matches('a') || getComputedStyle(element).display !== 'inline') return false
    const block = element.closest('p, li, dd, td, blockquote, figcaption, div, section')
    if (block === null || !(block.matches('p') || block.closest('.prose') !== null)) return false
    const copy = document.createElement('div')
    copy.append(block.cloneNode(true))
    for (const each of copy.querySelectorAll(CONTROLS)) each.remove()
    return /\p{L}{2}/u.test(copy.textContent ?? '')
  }

  const labelsOf = (element: Element): readonly Element[] =>
    element instanceof HTMLInputElement ? [...(element.labels ?? [])] : []

  /** The number of pixels in a row, through this point, at which a touch reaches the control. */
  const reachOf = (targets: readonly Element[], x: number, y: number, dx: number, dy: number) => {
    const isHit = (steps: number): boolean => {
      const hit = document.elementFromPoint(x + steps * dx, y + steps * dy)
      return hit !== null && targets.some((each) => each.contains(hit))
    }
    if (!isHit(0)) return 0
    let count = 1
    for (let step = 1; step <= LEAST && isHit(step); step++) count++
    for (let step = -1; step >= -LEAST && isHit(step); step--) count++
    return count
  }

  const sizeOf = (targets: readonly Element[]): [number, number] => {
    const sizes = targets.map((target): [number, number] => {
      target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
      const [box] = target.getClientRects()
      if (box === undefined) return [0, 0]
      const x = box.x + box.width / 2
      const y = box.y + box.height / 2
      return [reachOf(targets, x, y, 1, 0), reachOf(targets, x, y, 0, 1)]
    })
    const [largest = [0, 0]] = sizes.toSorted((a, b) => Math.min(...b) - Math.min(...a))
    return largest
  }

  /** Positions before the measurement. */
  const scrolled = new Map<Element, [number, number]>()
  const keepScroll = (element: Element): void => {
    for (let each: Element | null = element; each !== null; each = each.parentElement)
      if (!scrolled.has(each)) scrolled.set(each, [each.scrollLeft, each.scrollTop])
  }
  const all = [...document.querySelectorAll(`:is(${within}) :is(${CONTROLS})`)]
  const found = all
    .filter((element) => isSeen(element) && !isInSentence(element))
    .flatMap((element) => {
      keepScroll(element)
      const [width, height] = sizeOf([element, ...labelsOf(element)])
      return Math.min(width, height) < LEAST
        ? [`${width} x ${height} pixels react: ${element.outerHTML.slice(0, 160)}`]
        : []
    })
  for (const [element, [left, top]] of scrolled)
    element.scrollTo({ left, top, behavior: 'instant' })
  return found
}
