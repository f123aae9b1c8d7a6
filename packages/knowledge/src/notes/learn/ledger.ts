import { z } from 'zod'

const entry = z.object({
  /** Of what the specification says. */
  hash: z.string(),
  /** Relative to the archive. */
  file: z.string(),
  /** Of the note as it was written; another one now is a person's. */
  etag: z.string(),
})
export type LearnedEntry = z.infer<typeof entry>

/** `MEMORY/STATE/knowledge-learned.json`: what was taken over, by its source. */
export const ledger = z.record(z.string(), entry)
