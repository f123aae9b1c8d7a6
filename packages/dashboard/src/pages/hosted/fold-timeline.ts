import type { HostedEntry, HostedEntryOf } from '@steward/contract'

/**
 * One item of the timeline: a call with its answer and result, a model call with its
 * end.
 */
export type TimelineItem =
  | {
      kind: 'call'
      id: string
      at: string
      call: HostedEntryOf<'call'>
      answer: HostedEntryOf<'answer'> | undefined
      result: HostedEntryOf<'result'> | undefined
    }
  | {
      kind: 'model'
      id: string
      at: string
      /** Undefined while the model call is running. */
      end: HostedEntryOf<'model'> | undefined
      durationMs: number | undefined
    }
  | { kind: 'entry'; id: string; at: string; entry: HostedEntryOf<Single> }

type Single = 'message' | 'error' | 'status' | 'note' | 'result' | 'answer'

/** Entries in order, with related ones combined at the position of the first. */
export const foldTimeline = (entries: readonly HostedEntry[]): TimelineItem[] => {
  const results = new Map<string, HostedEntryOf<'result'>>()
  const answers = new Map<string, HostedEntryOf<'answer'>>()
  const ends = new Map<string, HostedEntryOf<'model'>>()
  const begun = new Set<string>()
  for (const entry of entries) {
    if (entry.kind === 'result') results.set(entry.callId, entry)
    else if (entry.kind === 'answer') answers.set(entry.callId, entry)
    else if (entry.kind === 'model') ends.set(entry.askedId, entry)
    else if (entry.kind === 'call' || entry.kind === 'asking') begun.add(entry.id)
  }
  return entries.flatMap((entry): TimelineItem[] => {
    const { id, at } = entry
    switch (entry.kind) {
      case 'call':
        return [
          { kind: 'call', id, at, call: entry, answer: answers.get(id), result: results.get(id) },
        ]
      case 'asking': {
        const end = ends.get(id)
        const durationMs = end === undefined ? undefined : Date.parse(end.at) - Date.parse(at)
        return [{ kind: 'model', id, at, end, durationMs }]
      }
      case 'model':
        // Its start may be on a page of the log that is not loaded.
        return begun.has(entry.askedId)
          ? []
          : [{ kind: 'model', id, at, end: entry, durationMs: undefined }]
      case 'result':
      case 'answer':
        return begun.has(entry.callId) ? [] : [{ kind: 'entry', id, at, entry }]
      default:
        // Usage so far is shown beside the log, with newer data.
        return entry.type === 'session.usage' ? [] : [{ kind: 'entry', id, at, entry }]
    }
  })
}

/** Newer versions of entries replace older ones; in log order. */
export const mergeEntries = (
  known: readonly HostedEntry[],
  added: readonly HostedEntry[],
): HostedEntry[] => {
  const bySeq = new Map([...known, ...added].map((entry) => [entry.seq, entry]))
  return [...bySeq.values()].toSorted((one, other) => one.seq - other.seq)
}

/**
 * The position to continue reading from: queued entries are read again, because they change when
 * processed.
 */
export const placeToReadOn = (entries: readonly HostedEntry[]): number => {
  const queued = entries.find((entry) => 'queued' in entry && entry.queued)
  return queued === undefined ? (entries.at(-1)?.seq ?? 0) : queued.seq - 1
}
