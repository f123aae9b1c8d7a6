import type { WorkState } from '@steward/contract'
import { sessionsOf } from './sessions.ts'

const LONGEST_TASK_CHARS = 40

/** `YYYYMMDD-HHMMSS_kebab-task`, by default in the machine's time zone. */
export const slugFor = (task: string, nowMs: number, timeZone?: string): string =>
  `${stampOf(nowMs, timeZone)}_${kebab(task)}`

/** The slug, or with `-2`, `-3`… the first one that no session has or had. */
export const freeSlug = (state: WorkState, slug: string): string => {
  const taken = new Set(sessionsOf(state).flatMap(({ view }) => view.previousSlugs))
  let free = slug
  for (let count = 2; Object.hasOwn(state.sessions, free) || taken.has(free); count++) {
    free = `${slug}-${count}`
  }
  return free
}

/** Letters and digits of any script, words joined by `-`, cut at a word if possible. */
const kebab = (task: string): string => {
  const words =
    task
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const [first = 'untitled', ...rest] = words
  let text = [...first].slice(0, LONGEST_TASK_CHARS).join('')
  for (const word of rest) {
    if ([...text].length + 1 + [...word].length > LONGEST_TASK_CHARS) break
    text = `${text}-${word}`
  }
  return text
}

const stampOf = (nowMs: number, timeZone: string | undefined): string => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    numberingSystem: 'latn',
  })
  const parts = new Map(format.formatToParts(nowMs).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ''
  return `${part('year')}${part('month')}${part('day')}-${part('hour')}${part('minute')}${part('second')}`
}
