import type { StewardError } from '@steward/contract'

export interface LoggedRequest {
  method?: string | undefined
  url?: string | undefined
}

const LINES_PER_MINUTE = 10
const MINUTE_MS = 60_000
const SHOWN_CHARS = 120

/**
 * Logs refused and failed requests. Each kind is limited to a few lines per minute, so that a flood
 * cannot fill the disk. Queries are omitted, because one contains a sign-in code.
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
    /** `kind` is the error's code if that is specific enough. */
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

/** Untrusted text must not move the cursor of a terminal that shows the log. */
const clean = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?')
