import type { Page } from 'playwright-core'
import { z } from 'zod'

/** A task of the page's main thread, in milliseconds. */
export interface PageTask {
  lasted: number
  /** Processor time: on a busy machine, a task lasts longer than it works. */
  worked: number
}

const traceEvent = z.object({
  name: z.string(),
  pid: z.number().optional(),
  tid: z.number().optional(),
  dur: z.number().optional(),
  tdur: z.number().optional(),
})

const SHORTEST_MS = 20
/** Pages of the browser itself have main threads too, and some have long tasks. */
const MARK = 'watched page'

/** Records the longer tasks of a page's main thread until `end`. */
export const watchTasks = async (page: Page): Promise<{ end: () => Promise<PageTask[]> }> => {
  const devtools = await page.context().newCDPSession(page)
  const events: Array<z.infer<typeof traceEvent>> = []
  devtools.on('Tracing.dataCollected', ({ value }) => {
    for (const each of value) {
      const event = traceEvent.safeParse(each)
      if (event.success) events.push(event.data)
    }
  })
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] },
  })
  const mark = (name: string): unknown => performance.mark(name)
  await page.addInitScript(mark, MARK)
  await page.evaluate(mark, MARK)
  return {
    end: async () => {
      const ended = new Promise<void>((resolve) =>
        devtools.once('Tracing.tracingComplete', () => resolve()),
      )
      await devtools.send('Tracing.end')
      await ended
      await devtools.detach()
      const mainThreads = new Set(
        events.filter(({ name }) => name === MARK).map(({ pid, tid }) => `${pid}.${tid}`),
      )
      return events
        .filter(({ name, pid, tid }) => isTask(name) && mainThreads.has(`${pid}.${tid}`))
        .map(({ dur = 0, tdur = 0 }) => ({ lasted: dur / 1000, worked: tdur / 1000 }))
        .filter(({ lasted }) => lasted >= SHORTEST_MS)
        .toSorted((one, other) => other.worked - one.worked)
    },
  }
}

const isTask = (name: string): boolean => name.endsWith('RunTask')

/** The issue allows none above this on two quiet cores. */
const MOST_MS = 100

export const describeTasks = (tasks: readonly PageTask[]): string => {
  const longest = tasks[0]
  if (longest === undefined) return `below ${SHORTEST_MS} ms`
  const lasted = Math.max(...tasks.map((task) => task.lasted))
  const over = tasks.filter(({ worked }) => worked > MOST_MS).length
  const verdict = over === 0 ? '' : `, ${over} above ${MOST_MS} ms`
  return `${longest.worked.toFixed(0)} ms of processor time${verdict}; the longest lasted ${lasted.toFixed(0)} ms`
}
