import type { UsageOrigin } from '@steward/contract'
import { claudeUsage } from './claude/usage.ts'
import { codexUsage } from './codex/usage.ts'
import { geminiUsage } from './gemini/usage.ts'
import type { UsageReader } from './usage/usage-reader.ts'

/** Of assistants that write lines into files, which any thread can read without much else. */
export const LINE_READERS: Partial<Record<UsageOrigin, UsageReader>> = {
  claude: claudeUsage,
  codex: codexUsage,
  gemini: geminiUsage,
}
