import type { Page } from 'playwright-core'
import { z } from 'zod'
import { goInApp, settle } from './watch-page.ts'

/** So long each answer takes: what stands in for it is on the screen by then. */
const ANSWER_MS = 60

const shifts = z.array(z.object({ value: z.number(), moved: z.array(z.string()) }))

/** Sees what moves on a page by itself. */
export interface ShiftWatch {
  /** What moved while the page at this address was loaded, and by how much as browsers count it. */
  load: (path: string) => Promise<string[]>
}

export const watchShifts = async (page: Page): Promise<ShiftWatch> => {
  let underWay = 0
  await page.route('**/api/**', async (route) => {
    if (route.request().resourceType() === 'eventsource') return route.continue()
    underWay += 1
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS))
    await route.continue()
  })
  const end = () => {
    underWay -= 1
  }
  const isAnswer = (request: { url: () => string; resourceType: () => string }) =>
    request.url().includes('/api/') && request.resourceType() !== 'eventsource'
  page.on('requestfinished', (request) => isAnswer(request) && end())
  page.on('requestfailed', (request) => isAnswer(request) && end())
  await page.evaluate(beginWatch)
  return {
    load: async (path) => {
      // From a page that has nothing in common with any other.
      await goInApp(page, '/nowhere')
      await page.evaluate('twoFrames().then(takeShifts)')
      await goInApp(page, path)
      do {
        await settle(page)
        await page.evaluate('twoFrames()')
      } while (underWay > 0)
      const found = shifts.parse(await page.evaluate('takeShifts()'))
      return found.map(({ value, moved }) => `${path}: ${value.toFixed(4)} by ${moved.join(', ')}`)
    },
  }
}

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
  const found: Array<{ value: number; moved: string[] }> = []
  const take = (entries: PerformanceEntryList): void => {
    for (const { value, sources } of entries.filter(isShift)) {
      const moved = sources.map(
        ({ node, previousRect: from, currentRect: to }) =>
          `${nameOf(node)} "${textOf(node)}" (${from.x},${from.y} to ${to.x},${to.y})`,
      )
      found.push({ value, moved })
    }
  }
  const observer = new PerformanceObserver((list) => take(list.getEntries()))
  observer.observe({ type: 'layout-shift' })
  Object.assign(window, {
    takeShifts: () => {
      take(observer.takeRecords())
      return found.splice(0)
    },
    twoFrames: () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  })
}
