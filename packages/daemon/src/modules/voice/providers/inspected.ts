import type { AudioFormat } from '../players/players.ts'

/** What bytes turned out to be. */
export type Inspected =
  | { ok: true; format: AudioFormat; durationMs: number | undefined }
  | { ok: false; reason: string }
