import type { StewardError } from '@steward/contract'

export interface LoggedRequest {
  method?: string | undefined
  url?: string | undefined
}

const LINES_PER_MINUTE = 10
const MINUTE_MS = 60_000
const SHOWN_CHARS = 120

/**
 * Says which requests were refused, or failed, and why. Of each kind a few lines a minute: whoever
 * floods us must not fill the disk with our own words. Queries are left out; a sign-in code is in one.
 */
export const createRequestLog = (
  verb: 'refused' | 'failed',
  say: (message: string) => void,
  now: () => number,
) => {
  const minutes = new Map<string, { since: number; lines: number; unsaid: number }>()
  let total = 0
  return {
    count: () => total,
    /** `kind` is the error's code where that says enough. */
    note: (
      { method = '', url = '' }: LoggedRequest,
      error: StewardError,
      kind: string = error.code,
    ): void => {
      total += 1
      const at = now()
      const known = minutes.get(kind)
      const isOver = known === undefined || at - known.since >= MINUTE_MS
      if (isOver && known !== undefined && known.unsaid > 0) {
        say(`${verb}: ${known.unsaid} more (${kind}) that are not listed`)
      }
      const minute = isOver ? { since: at, lines: 0, unsaid: 0 } : known
      minutes.set(kind, minute)
      if (minute.lines >= LINES_PER_MINUTE) {
        minute.unsaid += 1
        return
      }
      minute.lines += 1
      const [path = ''] = url.split('?', 1)
      say(
        clean(
          `${verb} ${method} ${path.slice(0, SHOWN_CHARS)}: ${error.status} ${error.code}: ${error.message}`,
        ),
      )
    },
  }
}
export type RequestLog = ReturnType<typeof createRequestLog>

/** What a stranger wrote cannot move the cursor of whoever reads the log. */
const clean = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?')
