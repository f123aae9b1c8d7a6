import { join } from 'node:path'
import { type DiaryFields, diaryFields, reasonOf } from '@steward/contract'
import { boundsOfDay, dayOf } from '@steward/engine'
import { listIfPresent } from '@steward/platform'
import type { AssistantFiles } from '../files/assistant-files.ts'
import { parseFrontMatter } from '../identity/front-matter.ts'
import type { AssistantModulePorts } from '../ports.ts'
import { type Day, gatherDays, isEmptyDay } from './gather-days.ts'
import { sentencesOf, writePage } from './write-page.ts'

const DIARY_FOLDER = 'diary'

const PAGE = /^\d{4}-\d\d-\d\d\.md$/
const RUNS = 1000
const CATCH_UP_DAYS = 7
const DAY_MS = 86_400_000

type Ports = Pick<
  AssistantModulePorts,
  'home' | 'execution' | 'now' | 'settings' | 'redactor' | 'log'
> & { files: AssistantFiles; zone: () => string }

export interface DiaryEntry extends DiaryFields {
  text: string
}

/** The newest pages; unreadable ones are reported. */
export const readDiary = async (
  files: AssistantFiles,
  limit: number,
): Promise<{ entries: DiaryEntry[]; problems: string[] }> => {
  const entries: DiaryEntry[] = []
  const problems: string[] = []
  for (const name of (await pagesOf(files)).toReversed().slice(0, limit)) {
    const file = `${DIARY_FOLDER}/${name}`
    try {
      const { fields, body } = parseFrontMatter((await files.read(file)) ?? '', file)
      const day = { date: name.slice(0, 10) }
      entries.push({ ...diaryFields.parse({ ...day, ...Object(fields) }), text: body })
    } catch (thrown) {
      problems.push(`${file}: ${reasonOf(thrown)}`)
    }
  }
  return { entries, problems }
}

const pagesOf = async ({ root }: AssistantFiles): Promise<string[]> =>
  (await listIfPresent(join(root, DIARY_FOLDER))).filter((name) => PAGE.test(name)).sort()

/**
 * Writes missing pages for finished days: yesterday's, or those of the last week after a longer
 * absence. Days without activity get none. Returns the number of pages written.
 */
export const writeMissingPages = async (ports: Ports, signal: AbortSignal): Promise<number> => {
  const { files, now, zone, execution } = ports
  const known = new Set(await pagesOf(files))
  const today = Date.parse(`${dayOf(now(), zone())}T00:00:00Z`)
  const missing = Array.from({ length: CATCH_UP_DAYS }, (_, index) =>
    new Date(today - (CATCH_UP_DAYS - index) * DAY_MS).toISOString().slice(0, 10),
  ).filter((date) => !known.has(`${date}.md`))
  if (missing.length === 0) return 0
  const bounds = missing.map((date) => ({ date, ...boundsOfDay(date, zone()) }))
  const runs = await execution.listRuns(RUNS)
  const days = await gatherDays(bounds, { ...ports, runs: () => runs })
  const full = days.filter((day) => !isEmptyDay(day))
  for (const day of full) {
    const summary = await sumUp(day, ports, signal)
    // A page that another program wrote in the meantime is kept.
    await files.change(`${DIARY_FOLDER}/${day.date}.md`, (text) => text ?? writePage(day, summary))
  }
  return full.length
}

/** An optional summary by a model; without one the page has none. */
const sumUp = async (
  day: Day,
  ports: Ports,
  signal: AbortSignal,
): Promise<{ text: string; model: string } | undefined> => {
  if (!ports.settings().assistant.diary.summary) return undefined
  const prompt = `Sum this day up in at most three sentences. Say nothing that is not here.\n\n${sentencesOf(day).join('\n')}`
  const work = {
    type: 'prompt',
    prompt,
    tier: 'fast',
    key: `diary:${day.date}`,
    needsModel: true,
  } as const
  try {
    const { detail, model = 'a model' } = await ports.execution.perform(work, signal)
    return { text: ports.redactor().redactText(detail).value, model }
  } catch (thrown) {
    ports.log.warn(`assistant: the diary of ${day.date} has no summary: ${reasonOf(thrown)}`)
    return undefined
  }
}

/** The start of the next local day. */
export const nextMidnight = (nowMs: number, zone: string): number =>
  boundsOfDay(dayOf(nowMs, zone), zone).toMs
