import { isJsonObject, type Result, type WorkState } from '@steward/contract'
import type { Home } from '../home/home.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { type Prompt, type PromptOutcome, recordPrompt, taskOf } from './record-prompt.ts'
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
  const redactor = keepTask(taskOf(clean.text), ports.redactor)
  const change = (state: WorkState, nowMs: number) => recordPrompt(state, clean, nowMs)
  return updateWorkState(home, change, { ...ports, redactor })
}

/** A task was masked before its lines were joined; joined, harmless lines may look like a secret. */
const keepTask = (
  task: string,
  { redact }: RecordPromptPorts['redactor'],
): Pick<Redactor, 'redact'> => ({
  redact: (entry) => {
    const { value, found } = redact(entry)
    const isKept = isJsonObject(entry) && isJsonObject(value) && entry.task === task
    return { value: isKept ? { ...value, task } : value, found }
  },
})
