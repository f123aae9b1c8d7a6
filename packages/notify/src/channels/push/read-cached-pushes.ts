import { z } from 'zod'

const cachedPush = z.object({
  event: z.string(),
  /** Seconds since the epoch. */
  time: z.number(),
  /** The id chosen by the sender; from ntfy 2.16 on. */
  sequence_id: z.string().optional(),
  title: z.string().optional(),
  message: z.string().optional(),
})
export type CachedPush = z.infer<typeof cachedPush>

/** Enough for days of a busy topic. */
const MOST_BYTES = 16_000_000

/**
 * The messages of a `poll=1` answer, one JSON object per line; undefined if it is not such an
 * answer.
 */
export const readCachedPushes = async (response: Response): Promise<CachedPush[] | undefined> => {
  const text = await readText(response)
  if (text === undefined) return undefined
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pushes = lines.flatMap((line) => {
    const parsed = cachedPush.safeParse(readJson(line))
    return parsed.success ? [parsed.data] : []
  })
  // Unknown kinds of lines are ignored; if no line is known, another program answers.
  return lines.length > 0 && pushes.length === 0 ? undefined : pushes
}

const readText = async (response: Response): Promise<string | undefined> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MOST_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const readJson = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
