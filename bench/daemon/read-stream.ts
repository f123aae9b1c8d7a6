export interface StreamedRow {
  writer: string
  row: number
  delayMs: number
}

/** Follows `/api/events/stream` and reports each row of a bench process with its latency. */
export const readStream = async (
  address: string,
  signal: AbortSignal,
  onRow: (row: StreamedRow) => void,
): Promise<void> => {
  const response = await fetch(`${address}/api/events/stream`, { signal })
  if (response.body === null) throw new Error('the stream has no body')
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      const now = Date.now()
      for (const line of lines) {
        if (line.startsWith('data:')) for (const row of rowsIn(line.slice(5), now)) onRow(row)
      }
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  }
}

const rowsIn = (text: string, now: number): StreamedRow[] => {
  const data: unknown = JSON.parse(text)
  const events = Array.isArray(data) ? data : [data]
  return events.flatMap((event: Record<string, unknown> | null) => {
    const [writer, row] = String(event?.tool_use_id ?? '').split(':')
    if (writer === undefined || row === undefined) return []
    return [{ writer, row: Number(row), delayMs: now - Number(event?.sent_at_ms) }]
  })
}
