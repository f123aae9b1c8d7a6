/**
 * An agent that offers the Agent Client Protocol over its standard streams and does what the prompt
 * says, line by line: `say TEXT`, `write FILE TEXT` (asks for a permission first), `sneak FILE TEXT`
 * (writes without asking), `see FILE` (says its content), `plan A|B`,
 * `cost USD`, `offer KINDS` (option kinds of the next permission), `wait` (until it is cancelled),
 * `rest MS`, `die`, `leave` (dies when its turn is over), `lose` (reports that its assistant has died). With
 * AGENT_SCRIPT set it does that instead, whatever it is asked. With HOOK_LOG set it reports its session there, as a hook would. What it was asked is
 * appended to AGENT_LOG.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const { AGENT_LOG, AGENT_SCRIPT, HOOK_LOG, SIGNED_OUT } = process.env
let requests = 0
let cancel = () => undefined
let cwd = ''
let offered = 'allow_once,reject_once'
const answers = new Map()

const note = (text) => AGENT_LOG && appendFileSync(AGENT_LOG, `${text}\n`)
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (sessionId, fields) =>
  send({ method: 'session/update', params: { sessionId, update: fields } })
const ask = (method, params) =>
  new Promise((resolve) => {
    requests += 1
    answers.set(requests, resolve)
    send({ id: requests, method, params })
  })
const textOf = (text) => ({ type: 'text', text })
const hook = (sessionId, event, fields = {}) => {
  if (!HOOK_LOG) return
  const timestamp = new Date().toISOString()
  const row = {
    timestamp,
    event,
    type: event,
    source: 'tool-activity',
    session_id: sessionId,
    host: 'claude',
    agent_id: null,
    cwd,
    ...fields,
  }
  mkdirSync(dirname(HOOK_LOG), { recursive: true })
  appendFileSync(HOOK_LOG, `${JSON.stringify(row)}\n`)
}

const tell = (sessionId, text) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: textOf(`${text} `) })
const put = (file, content) => {
  mkdirSync(dirname(join(cwd, file)), { recursive: true })
  writeFileSync(join(cwd, file), content)
}

const writeFile = async (sessionId, file, content) => {
  const toolCallId = `call-${requests}-${Date.now()}`
  const about = { toolCallId, title: `Write ${file}`, kind: 'edit', rawInput: { file, content } }
  update(sessionId, { sessionUpdate: 'tool_call', status: 'pending', name: 'Write', ...about })
  const options = offered
    .split(',')
    .map((kind) => ({ kind, optionId: `id-${kind}`, name: `Option ${kind}` }))
  const { outcome } = await ask('session/request_permission', {
    sessionId,
    toolCall: about,
    options,
  })
  note(`outcome ${outcome.optionId ?? outcome.outcome}`)
  const isAllowed = outcome.optionId?.startsWith('id-allow') === true
  if (isAllowed) put(file, content)
  hook(sessionId, 'tool_use', { tool_name: 'Write' })
  update(sessionId, {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: isAllowed ? 'completed' : 'failed',
  })
  return outcome.outcome !== 'cancelled'
}

const prompt = async ({ sessionId, prompt: [{ text }] }) => {
  note(`prompt ${text.split('\n')[0]}`)
  hook(sessionId, 'user_prompt', { prompt: text })
  // A request to continue repeats the task; the interruption itself is not repeated.
  const isContinued = text.startsWith('Your program was interrupted')
  for (const line of (AGENT_SCRIPT ?? text).split('\n')) {
    const [verb, first = '', ...rest] = line.split(' ')
    if (verb === 'say') {
      for (const word of [first, ...rest]) {
        tell(sessionId, word)
      }
    }
    if (verb === 'plan') {
      const entries = [first, ...rest]
        .join(' ')
        .split('|')
        .map((content) => ({ content, priority: 'medium', status: 'pending' }))
      update(sessionId, { sessionUpdate: 'plan', entries })
    }
    if (verb === 'cost') {
      update(sessionId, {
        sessionUpdate: 'usage_update',
        used: 1,
        size: 2,
        cost: { amount: Number(first), currency: 'USD' },
      })
    }
    if (verb === 'offer') offered = first
    if (verb === 'rest') await new Promise((resolve) => setTimeout(resolve, Number(first)))
    if (verb === 'sneak' || verb === 'see') {
      try {
        if (verb === 'sneak') put(first, rest.join(' '))
        else tell(sessionId, readFileSync(resolve(cwd, first), 'utf8'))
      } catch (error) {
        tell(sessionId, error.code)
      }
    }
    if (verb === 'die' && !isContinued) process.exit(7)
    if (verb === 'lose' && !isContinued)
      throw new Error('The assistant process exited unexpectedly')
    if (verb === 'leave') {
      setTimeout(() => {
        note('left')
        process.exit(0)
      }, 50)
    }
    if (verb === 'write' && !(await writeFile(sessionId, first, rest.join(' '))))
      return { stopReason: 'cancelled' }
    if (verb === 'wait' && !isContinued) {
      update(sessionId, { sessionUpdate: 'agent_message_chunk', content: textOf('waiting ') })
      await new Promise((resolve) => {
        cancel = resolve
      })
      return { stopReason: 'cancelled' }
    }
  }
  hook(sessionId, 'turn_end', { message_preview: 'done' })
  return { stopReason: 'end_turn' }
}

const MODES = {
  currentModeId: 'default',
  availableModes: [
    { id: 'default', name: 'Default' },
    { id: 'plan', name: 'Plan' },
  ],
}
const handle = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true },
    authMethods: [],
  }),
  'session/new': (params) => {
    if (SIGNED_OUT) throw Object.assign(new Error('Authentication required'), { code: -32_000 })
    cwd = params.cwd
    const sessionId = `agent-${process.pid}-${Date.now()}`
    hook(sessionId, 'session_start')
    return { sessionId, modes: MODES }
  },
  'session/load': ({ sessionId, cwd: folder }) => {
    cwd = folder
    note(`load ${sessionId}`)
    // The history is replayed; it must not count again.
    update(sessionId, {
      sessionUpdate: 'tool_call',
      toolCallId: 'old',
      title: 'an old call',
      status: 'completed',
    })
    return { modes: MODES }
  },
  'session/set_mode': ({ modeId }) => {
    note(`mode ${modeId}`)
    return {}
  },
  'session/prompt': prompt,
}

const lines = createInterface({ input: process.stdin })
lines.on('close', () => process.exit(0))
lines.on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (method === undefined) return answers.get(id)?.(result)
  if (method === 'session/cancel') return cancel()
  try {
    send({ id, result: await handle[method](params) })
  } catch (error) {
    send({ id, error: { code: error.code ?? -32_601, message: error.message } })
  }
})
