import type { Result } from '@steward/contract'
import type { Home } from '../home/home.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { type Prompt, type PromptOutcome, recordPrompt } from './record-prompt.ts'
import { updateWorkState, type WorkStatePorts, type WorkStateUpdate } from './work-state-file.ts'

export interface RecordPromptPorts extends WorkStatePorts {
  redactor: Pick<Redactor, 'redact' | 'redactText'>
}

/**
 * Records a prompt in the work state; secrets are masked first, because the slug is made of its
 * words.
 */
export const recordPromptInFile = (
  home: Pick<Home, 'workState'>,
  prompt: Prompt,
  ports: RecordPromptPorts,
): Promise<Result<WorkStateUpdate<PromptOutcome>>> => {
  const clean = { ...prompt, text: ports.redactor.redactText(prompt.text).value }
  return updateWorkState(home, (state, nowMs) => recordPrompt(state, clean, nowMs), ports)
}
