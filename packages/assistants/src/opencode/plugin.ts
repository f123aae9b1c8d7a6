import { argumentsFor, type HookProgram } from '../registration/hook-program.ts'

/** The module that OpenCode loads: it passes events to the hook program in a separate process. */
export const renderOpencodePlugin = (program: HookProgram, events: readonly string[]): string => {
  const bus = events.filter((event) => !/^(chat|tool)\./.test(event))
  return `// Written by \`steward hooks install\`; \`steward hooks uninstall\` removes it.
import { spawn } from 'node:child_process'

const NODE = ${JSON.stringify(program.node)}
const HOOK = ${JSON.stringify(program.file)}
const MORE = ${JSON.stringify(argumentsFor(program, { event: '' }, 'opencode').slice(4))}
const BUS = new Set(${JSON.stringify(bus)})
const LONGEST_MS = 5000
const GUARD_MS = 10000
const ANSWER_MS = 3600000

const parents = new Map()
const lastTexts = new Map()
const roots = new Set()
const failed = new Set()
const contexts = new Map()

// Hooks that wait for an answer, by the id of the request.
const waiting = new Map()

// Resolves with the hook's answer, or undefined; never rejects and has a timeout.
const tell = (event, payload, more = [], longestMs = LONGEST_MS, started = () => {}) =>
  new Promise((resolve) => {
    try {
      const child = spawn(NODE, [HOOK, event, '--host', 'opencode', ...more, ...MORE], {
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      started(child)
      let answer = ''
      const timer = setTimeout(() => child.kill('SIGKILL'), longestMs)
      child.stdout.on('data', (chunk) => (answer += chunk))
      child.on('error', () => resolve(undefined))
      child.on('close', (code) => {
        clearTimeout(timer)
        resolve(code === 0 ? answer : undefined)
      })
      child.stdin.on('error', () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve(undefined)
    }
  })

export const StewardPlugin = async ({ directory, client }) => {
  const under = new Set()
  const send = (event, payload, sessionID, more, longestMs) => {
    const parentID = parents.get(sessionID)
    const whole = { ...payload, directory, ...(parentID ? { parentID } : {}) }
    const sent = tell(event, whole, more, longestMs)
    under.add(sent)
    sent.then(() => under.delete(sent))
    return sent
  }
  // Shows a request elsewhere too; the dialog stays, and the first answer wins.
  const askElsewhere = async (event, id, sessionID) => {
    const parentID = parents.get(sessionID)
    const whole = { event, directory, ...(parentID ? { parentID } : {}) }
    const answer = await tell(event.type, whole, [], ANSWER_MS, (child) => waiting.set(id, child))
    if (!waiting.delete(id) || !answer?.startsWith('{')) return
    const { reply, answers, message } = JSON.parse(answer)
    const path = { id: sessionID, permissionID: id }
    const body = reply ? { response: reply, ...(message ? { message } : {}) } : { answers }
    const headers = { 'content-type': 'application/json' }
    try {
      // Its client returns an error, or throws one, depending on its version.
      const { error } = await (reply
        ? client.postSessionIdPermissionsPermissionId({ path, body })
        : client._client.post({ url: \`/question/\${id}/reply\`, body, headers })) ?? {}
      if (error) throw error
    } catch (thrown) {
      await reportLost(id, sessionID, thrown)
    }
  }
  // The person was told that the answer was passed on, so this must not go unnoticed.
  const reportLost = async (id, sessionID, thrown) => {
    const reason = thrown instanceof Error ? thrown.message : JSON.stringify(thrown)
    const error = \`an answer to \${id} did not reach OpenCode: \${reason}\`
    await send('answer.failed', { event: { type: 'answer.failed', properties: { sessionID, error } } }, sessionID)
    await Promise.resolve(client.app?.log?.({ body: { service: 'steward', level: 'error', message: error } })).catch(() => undefined)
  }
  // Answered in the dialog: the hook need not wait any more.
  const endWaiting = (id) => {
    const child = waiting.get(id)
    waiting.delete(id)
    child?.kill('SIGKILL')
  }
  return {
    'chat.message': async ({ sessionID }, output) => {
      send('chat.message', { input: { sessionID }, output }, sessionID)
      send('chat.message', { input: { sessionID }, output }, sessionID, ['--guard'], GUARD_MS)
    },
    'tool.execute.before': async (input, output) => {
      const call = { input, output }
      const answer = await send('tool.execute.before', call, input.sessionID, ['--guard'], GUARD_MS)
      if (answer === undefined) throw new Error('The Steward guard did not answer. Run steward doctor to see why.')
      const { deny } = answer.startsWith('{') ? JSON.parse(answer) : {}
      if (!deny) return
      // OpenCode reports what a plugin throws as the failure of the call; it was refused.
      failed.add(input.callID)
      throw new Error(deny)
    },
    'tool.execute.after': async (input, output) => {
      send('tool.execute.after', { input, output }, input.sessionID)
    },
    'experimental.chat.system.transform': async ({ sessionID }, output) => {
      const context = await contexts.get(sessionID)
      if (context) output.system.push(context)
    },
    'experimental.text.complete': async ({ sessionID }, { text }) => {
      lastTexts.set(sessionID, text)
    },
    event: async ({ event }) => {
      if (/^(permission|question)\\.(replied|rejected)$/.test(event.type)) {
        endWaiting(event.properties?.requestID ?? event.properties?.permissionID)
        return
      }
      if (!BUS.has(event.type)) return
      if (/^(permission|question)\\.asked$/.test(event.type)) {
        askElsewhere(event, event.properties?.id, event.properties?.sessionID)
        return
      }
      const { sessionID, info, part } = event.properties ?? {}
      const id = sessionID ?? info?.id
      if (event.type === 'session.created') {
        if (info?.parentID) parents.set(id, info.parentID)
        else roots.add(id)
      }
      if (event.type === 'message.part.updated') {
        if (part?.type !== 'tool' || part.state?.status !== 'error' || failed.has(part.callID)) return
        failed.add(part.callID)
        // The person refused it.
        if (/rejected permission/i.test(String(part.state.error))) return
      }
      if (event.type === 'session.deleted') {
        roots.delete(id)
        contexts.delete(id)
      }
      const text = event.type === 'session.idle' ? lastTexts.get(id) : undefined
      const sent = send(event.type, { event, ...(text ? { last_assistant_message: text } : {}) }, id)
      if (event.type === 'session.created' && !info?.parentID) {
        contexts.set(id, sent.then((answer) => (answer?.startsWith('{') ? JSON.parse(answer).context : undefined)))
      }
      // OpenCode may exit right after a turn, so pending hooks are awaited.
      if (event.type === 'session.idle') await Promise.all([sent, ...under])
    },
    dispose: async () => {
      for (const id of [...waiting.keys()]) endWaiting(id)
      for (const id of roots) send('session.deleted', { event: { type: 'session.deleted', properties: { sessionID: id } } }, id)
      await Promise.all(under)
    },
  }
}
`
}
