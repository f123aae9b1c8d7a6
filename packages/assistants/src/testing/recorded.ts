import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostName } from '@steward/contract'
import { z } from 'zod'

const row = z.object({
  host: z.string(),
  version: z.string(),
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
})
export type RecordedPayload = z.infer<typeof row>

/** Payloads recorded from real command lines; Cursor's are written after its documentation. */
export const RECORDINGS = {
  'claude-code-2.1.197': 'claude',
  'claude-code-2.1.325': 'claude',
  'codex-0.166.0': 'codex',
  'gemini-cli-0.61.0': 'gemini',
  'opencode-1.18.33': 'opencode',
  'cursor-examples': 'cursor',
} as const satisfies Record<string, HostName>
export type Recording = keyof typeof RECORDINGS

export const readRecording = (name: Recording): RecordedPayload[] =>
  readFileSync(join(import.meta.dirname, 'fixtures', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => row.parse(JSON.parse(line)))

export const RECORDING_NAMES = Object.keys(RECORDINGS).filter(
  (name): name is Recording => name in RECORDINGS,
)
