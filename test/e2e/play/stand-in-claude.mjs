/**
 * Stands for Claude Code in tutorials: runs the hooks that its settings register, with the payloads that
 * version 2.1.325 sends, and writes its record of the session. It asks for a permission when its task is
 * to create a file, and does only what the answer allows.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { addServer, askNotes } from './stand-in-mcp.mjs'

const [flag, prompt = '', ...rest] = process.argv.slice(2)
if (flag === '--version') {
  console.log('2.1.325 (Claude Code)')
  process.exit()
}
if (flag === 'mcp') {
  addServer(rest)
  process.exit()
}
const [, topic] = /^What do my notes say about (\w+)/.exec(prompt) ?? []
if (topic !== undefined) {
  await askNotes(topic)
  process.exit()
}

const session = randomUUID()
const cwd = process.cwd()
const record = join(homedir(), '.claude/projects', cwd.replaceAll('/', '-'), `${session}.jsonl`)
const { hooks } = JSON.parse(readFileSync(join(homedir(), '.claude/settings.json'), 'utf8'))

const runHook = ({ command, args }, payload) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(text.trim() === '' ? {} : JSON.parse(text)))
    child.stdin.end(JSON.stringify(payload))
  })

/** Runs the programs registered for an event; returns what they decide. */
const fire = async (event, fields = {}) => {
  const payload = {
    session_id: session,
    transcript_path: record,
    cwd,
    prompt_id: session,
    permission_mode: 'default',
    hook_event_name: event,
    ...fields,
  }
  const programs = (hooks[event] ?? [])
    .filter(({ matcher = '*' }) => matcher === '*')
    .flatMap((group) => group.hooks)
    .filter(({ type }) => type === 'command')
  const answers = await Promise.all(programs.map((program) => runHook(program, payload)))
  return answers.map(({ hookSpecificOutput = {} }) => hookSpecificOutput)
}

const useTool = async (tool_name, tool_input, { asks, run }) => {
  const call = { tool_name, tool_input, tool_use_id: `toolu_${randomUUID()}` }
  await fire('PreToolUse', call)
  if (asks) {
    const [{ decision = {} } = {}] = await fire('PermissionRequest', call)
    if (decision.behavior !== 'allow') return console.log('Permission was not granted.')
  }
  run()
  await fire('PostToolUse', { ...call, tool_response: { stdout: '', stderr: '' }, duration_ms: 9 })
}

const writeRecord = () => {
  const row = (type, message) => ({
    type,
    sessionId: session,
    cwd,
    requestId: `req_${session}`,
    timestamp: new Date().toISOString(),
    message,
  })
  const rows = [
    row('user', { role: 'user', content: prompt }),
    row('assistant', {
      id: `msg_${session}`,
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text: 'Done.' }],
      usage: { input_tokens: 1200, output_tokens: 300 },
    }),
  ]
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(record, rows.map((each) => `${JSON.stringify(each)}\n`).join(''))
}

await fire('SessionStart', { source: 'startup' })
await fire('UserPromptSubmit', { prompt })
const [, file] = /^Create (\S+)/.exec(prompt) ?? []
if (file === undefined) {
  await useTool('Bash', { command: 'ls', description: 'List files' }, { run: () => undefined })
} else {
  const input = { file_path: join(cwd, file), content: 'Tea\n' }
  const run = () => {
    writeFileSync(join(cwd, file), input.content)
    console.log(`Created ${file}.`)
  }
  await useTool('Write', input, { asks: true, run })
}
writeRecord()
await fire('Stop', { stop_hook_active: false, last_assistant_message: 'Done.' })
await fire('SessionEnd', { reason: 'other' })
