import { isJsonObject, type JsonObject, parseJson, reasonOf } from '@steward/contract'
import { ASSISTANTS, readHostEvent } from '../assistants.ts'
import { describeRequest } from '../payload/describe-request.ts'
import { awaitAnswer } from './await-answer.ts'
import { createHookPorts } from './run-hook.ts'

/** A call of the tool that `claude -p --permission-prompt-tool` asks. */
export interface PromptCall {
  toolName: string
  input: JsonObject
  cwd: string
  /** Of the assistant's process, which does not tell its session. */
  session: string
}

/** What Claude Code expects of that tool. */
export type PromptDecision =
  | { behavior: 'allow'; updatedInput: JsonObject }
  | { behavior: 'deny'; message: string }

const NOBODY = 'Nobody answered in time, so it is not allowed.'

const eventOf = ({ toolName, input, cwd, session }: PromptCall) =>
  readHostEvent('claude', {
    hook_event_name: 'PermissionRequest',
    session_id: session,
    cwd,
    tool_name: toolName,
    tool_input: input,
  })

/** How the request is shown to the person. */
export const describePrompt = (call: PromptCall): string =>
  describeRequest(eventOf(call))?.detail ?? ''

/** Asks the person through the daemon. Silence and failures are refusals. */
export const answerPrompt = async (
  call: PromptCall,
  env: NodeJS.ProcessEnv,
): Promise<PromptDecision> => {
  const errors: string[] = []
  try {
    const event = eventOf(call)
    const ports = createHookPorts(env, (text) => errors.push(text))
    const answer = await awaitAnswer(event, { ...ports, startedAtMs: ports.now() })
    const rendered = answer && ASSISTANTS.claude.answers?.render(event, answer)
    const decision = readDecision(rendered?.stdout ?? '', call)
    if (decision !== undefined) return decision
  } catch (thrown) {
    errors.push(reasonOf(thrown))
  }
  return { behavior: 'deny', message: [NOBODY, ...errors].join(' ') }
}

/** The hook's answer as that of the tool, which must name the input. */
const readDecision = (text: string, { input }: PromptCall): PromptDecision | undefined => {
  const parsed = parseJson(text, 'the answer')
  const output = parsed.ok && isJsonObject(parsed.value) ? parsed.value.hookSpecificOutput : {}
  const decision = isJsonObject(output) ? output.decision : undefined
  if (!isJsonObject(decision)) return undefined
  const { behavior, updatedInput, message } = decision
  if (behavior === 'deny') return { behavior, message: String(message) }
  if (behavior !== 'allow') return undefined
  return { behavior, updatedInput: isJsonObject(updatedInput) ? updatedInput : input }
}
