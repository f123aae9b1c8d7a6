import type { AudioFormat } from '../players/players.ts'

/** The result of inspecting audio bytes. */
export type Inspected =
  | { ok: true; format: AudioFormat; durationMs: number | undefined }
  | { ok: false; reason: string }
