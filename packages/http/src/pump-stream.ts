import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** Sends a streamed answer no faster than the client reads; resolves when it ends. */
export const pumpStream = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  const reader = response.body?.getReader()
  if (reader === undefined) {
    outgoing.end()
    return
  }
  const closed = once(outgoing, 'close')
  const cancel = () => reader.cancel()
  closed.then(cancel, cancel)
  // A stream that is aborted while the client does not read would otherwise wait indefinitely.
  reader.closed.catch(() => outgoing.destroy())
  for (;;) {
    const { done, value } = await readOrEnd(reader)
    if (done || outgoing.destroyed) break
    if (!outgoing.write(value)) await Promise.race([once(outgoing, 'drain'), closed])
  }
  outgoing.end()
}

/** A failed stream has ended; its source has already reported the error. */
const readOrEnd = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> => {
  try {
    return await reader.read()
  } catch {
    return { done: true, value: undefined }
  }
}
