import type { Page } from 'playwright-core'
import { z } from 'zod'
import { goInApp, openPage, settle } from './watch-page.ts'

/** The delay of each response, long enough for the placeholder to appear. */
const ANSWER_MS = 60
/** Streams open later, so that a page whose header does not wait for its stream is noticed. */
const STREAM_MS = 2 * ANSWER_MS
/** How often the page renews its times. */
const TICK_MS = 1000
/** Relative times change their units and the number of their digits. */
const STEPS_MS = [7000, 50_000, 9 * 60_000, 51 * 60_000]

/** Detects content that moves by itself or that appears briefly. */
export interface ShiftWatch {
  /** Returns the content that moved or flashed while the page at this address loaded. */
  load: (path: string) => Promise<string[]>
  /** Returns the content that moves while the clock of this page, which is loaded, goes on. */
  passTime: (path: string) => Promise<string[]>
}

/** Opens the app at an address of its own, with a clock that can be moved. */
export const watchShifts = async (page: Page, address: string): Promise<ShiftWatch> => {
  // Before the clock is replaced: shifts are those of frames that the browser draws.
  await page.addInitScript(() =>
    Object.assign(window, { drawFrame: requestAnimationFrame.bind(window) }),
  )
  await page.clock.install()
  await openPage(page, address)
  let underWay = 0
  const end = () => {
    underWay -= 1
  }
  await page.route('**/api/**', async (route) => {
    const isStream = route.request().resourceType() === 'eventsource'
    underWay += 1
    await new Promise((resolve) => setTimeout(resolve, isStream ? STREAM_MS : ANSWER_MS))
    await route.continue()
    if (isStream) end()
  })
  const isAnswer = (request: { url: () => string; resourceType: () => string }) =>
    request.url().includes('/api/') && request.resourceType() !== 'eventsource'
  page.on('requestfinished', (request) => isAnswer(request) && end())
  page.on('requestfailed', (request) => isAnswer(request) && end())
  await page.evaluate(beginWatch)
  const take = async (path: string, isTimePassing: boolean): Promise<string[]> => {
    const found = z.array(z.string()).parse(await page.evaluate(`takeShifts(${isTimePassing})`))
    return found.map((text) => `${path}: ${text}`)
  }
  /** Every page then starts with a page that has nothing in common with it. */
  const leave = async (): Promise<void> => {
    await page.clock.setSystemTime(Date.now())
    await goInApp(page, '/nowhere')
    await page.clock.runFor(TICK_MS)
    await page.evaluate('twoFrames().then(takeShifts)')
  }
  const open = async (path: string): Promise<void> => {
    await goInApp(page, path)
    do {
      await settle(page)
      await page.evaluate('twoFrames()')
    } while (underWay > 0)
  }
  return {
    load: async (path) => {
      await leave()
      await open(path)
      return take(path, false)
    },
    passTime: async (path) => {
      await page.clock.runFor(TICK_MS)
      await page.evaluate('twoFrames().then(takeShifts)')
      for (const ms of STEPS_MS) {
        await page.clock.fastForward(ms)
        await page.evaluate('twoFrames()')
      }
      return take(path, true)
    },
  }
}

declare const drawFrame: typeof requestAnimationFrame

/** Runs in the page. */
const beginWatch = (): void => {
  interface Shift extends PerformanceEntry {
    value: number
    sources: ReadonlyArray<{
      node: Node | null
      previousRect: DOMRectReadOnly
      currentRect: DOMRectReadOnly
    }>
  }
  const isShift = (entry: PerformanceEntry): entry is Shift => 'sources' in entry
  const textOf = (node: Node | null): string => (node?.textContent ?? '').trim().slice(0, 40)
  const nameOf = (node: Node | null): string =>
    node instanceof Element ? `${node.nodeName} .${node.className}` : (node?.nodeName ?? 'gone')
  /** What was found; some of it is expected while time passes. */
  const found: Array<{ text: string; isExpectedLater: boolean }> = []
  /** An axis of time moves with the time. */
  const isInAxis = (node: Node | null): boolean =>
    (node instanceof Element ? node : node?.parentElement)?.closest('[aria-hidden=true]') != null
  /** A text at the right edge grows to the left in its place. */
  const isExpectedLater = ({
    node,
    previousRect: from,
    currentRect: to,
  }: Shift['sources'][number]) => (from.x === to.x && from.y === to.y) || isInAxis(node)
  const noteShifts = (entries: PerformanceEntryList): void => {
    for (const { value, sources } of entries.filter(isShift)) {
      const moved = sources.map(
        ({ node, previousRect: from, currentRect: to }) =>
          `${nameOf(node)} "${textOf(node)}" (${from.x},${from.y} to ${to.x},${to.y})`,
      )
      found.push({
        text: `moved by ${value.toFixed(4)}: ${moved.join(', ')}`,
        isExpectedLater: sources.every(isExpectedLater),
      })
    }
  }
  /** Outside the visible part of a list that scrolls, where it is not visible. */
  const isOutOfView = (node: Node): boolean => {
    if (!(node instanceof Element)) return false
    const { top, bottom } = node.getBoundingClientRect()
    for (let above = node.parentElement; above !== null; above = above.parentElement) {
      if (above === document.body || !/auto|scroll/.test(getComputedStyle(above).overflowY))
        continue
      const edge = above.getBoundingClientRect()
      if (bottom <= edge.top || top >= edge.bottom) return true
    }
    return false
  }
  let drawn = new WeakSet<Node>()
  const noteFlashes = (records: readonly MutationRecord[]): void => {
    for (const { addedNodes, removedNodes, target } of records) {
      for (const node of addedNodes) if (!isOutOfView(node)) drawn.add(node)
      for (const node of removedNodes) {
        if (!drawn.has(node) || node.isConnected || textOf(node) === '') continue
        if (node instanceof Element && node.matches('.skeleton')) continue
        const text = `flashed: ${nameOf(node)} "${textOf(node)}"`
        found.push({ text, isExpectedLater: isInAxis(target) })
      }
    }
  }
  const shifts = new PerformanceObserver((list) => noteShifts(list.getEntries()))
  shifts.observe({ type: 'layout-shift' })
  const changes = new MutationObserver(noteFlashes)
  changes.observe(document.body, { childList: true, subtree: true })
  Object.assign(window, {
    takeShifts: (isTimePassing: boolean) => {
      noteShifts(shifts.takeRecords())
      noteFlashes(changes.takeRecords())
      drawn = new WeakSet()
      return found
        .splice(0)
        .filter(({ isExpectedLater }) => !(isTimePassing && isExpectedLater))
        .map(({ text }) => text)
    },
    twoFrames: () => new Promise((resolve) => drawFrame(() => drawFrame(resolve))),
  })
}
