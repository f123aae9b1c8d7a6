import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../machine.ts'
import { openScreen } from '../screen.ts'
import { type Kind, questionOf, type Session, type Subject } from '../subject.ts'
import type { World } from '../world.ts'
import { openPrinted, openSdk } from './claude-headless.ts'

const KEY = 'sk-ant-scripted-0123456789abcdef'

/** An MCP server: one tool asks for a colour with a form, the other must be allowed by a person. */
const FORM_SERVER = `
import { appendFileSync } from 'node:fs'
const task = { inputSchema: { type: 'object', properties: { task: { type: 'string' } } } }
const pick = { name: 'pick', description: 'Asks for a colour', ...task }
const mark = { name: 'mark', description: 'Marks the project', ...task, _meta: { 'anthropic/requiresUserInteraction': true } }
let buffer = ''
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
let call
process.stdin.on('data', (chunk) => {
  buffer += chunk
  const lines = buffer.split('\\n')
  buffer = lines.pop()
  for (const line of lines) {
    const { id, method, params, result } = JSON.parse(line)
    if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'form', version: '1' } } })
    else if (method === 'tools/list') send({ id, result: { tools: [pick, mark] } })
    else if (method === 'tools/call' && params.name === 'mark') {
      appendFileSync(process.argv[2] + '/' + params.arguments.task + '.mark', 'x')
      send({ id, result: { content: [{ type: 'text', text: 'marked' }] } })
    } else if (method === 'tools/call') {
      call = id
      const requestedSchema = { type: 'object', properties: { colour: { type: 'string', title: 'colour' } }, required: ['colour'] }
      send({ id: 'ask', method: 'elicitation/create', params: { message: 'Pick one for ' + params.arguments.task, requestedSchema } })
    } else if (id === 'ask') send({ id: call, result: { content: [{ type: 'text', text: JSON.stringify(result) }] } })
    else if (method && id !== undefined) send({ id, result: {} })
  }
})
`

/** What a person has done before the first prompt. */
export const prepareClaude = (world: World): void => {
  const { user, project, root } = world
  mkdirSync(join(user, '.claude'), { recursive: true })
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  writeFileSync(
    join(user, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [project]: trusted },
    }),
  )
  writeFileSync(join(root, 'form.mjs'), FORM_SERVER)
  const form = { command: process.execPath, args: [join(root, 'form.mjs'), project] }
  writeFileSync(join(root, 'mcp.json'), JSON.stringify({ mcpServers: { form } }))
}

export const claudeEnv = ({ env, vendor }: World): Record<string, string> => ({
  ...env,
  ANTHROPIC_BASE_URL: vendor.address,
  ANTHROPIC_API_KEY: KEY,
  // The scripted model does not look for tools before it uses them.
  ENABLE_TOOL_SEARCH: 'false',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
})

/** Its newest versions would begin in a mode that asks a server of the vendor. */
export const claudeFlags = ({ root }: World, kind: Kind): string[] => [
  '--permission-mode',
  kind === 'plan' ? 'plan' : 'default',
  '--mcp-config',
  join(root, 'mcp.json'),
  '--allowedTools',
  'mcp__form__pick',
]

const STEPS: Subject['steps'] = {
  permission: (task) => [
    {
      tool: 'Bash',
      input: { command: `node mark.mjs ${task}`, description: 'Marks the project' },
    },
  ],
  tool: (task) => [{ tool: 'mcp__form__mark', input: { task } }],
  question: (task) => [{ tool: 'AskUserQuestion', input: questionOf(task) }],
  plan: (task) => [
    {
      tool: 'Write',
      input: (request) => ({
        file_path: /\/[^\s"\\]*\.claude\/plans\/[\w-]+\.md/.exec(request)?.[0] ?? '',
        content: `# Plan\n\n1. Mark the project for ${task}\n`,
      }),
    },
    { tool: 'ExitPlanMode', input: {} },
  ],
  form: (task) => [{ tool: 'mcp__form__pick', input: { task } }],
}

const DIALOG_CLOSES_MS = 700
const DIALOGS: Readonly<Record<Kind, RegExp>> = {
  permission: /Do you want to proceed\?/,
  tool: /Do you want to proceed\?/,
  question: /Enter to select/,
  plan: /Would you like to proceed\?|ready to code\?/i,
  form: /colour:/,
}

export const claudeSubjects = (version: string, program: string): Subject[] => {
  const name = `claude ${version}`
  // 2.1.197 refuses at once if nothing can be asked, without a hook.
  const isOld = version === '2.1.197'
  const terminal: Subject = {
    name,
    mode: 'terminal',
    steps: STEPS,
    ...(isOld ? {} : { decidesTools: true }),
    open: async (world) => openTerminal(world, program),
  }
  const sdk: Subject = {
    name,
    mode: 'sdk',
    // 2.1.325 refuses such a tool that a hook allows, where no terminal can decide.
    steps: isOld ? STEPS : { ...STEPS, tool: undefined },
    open: async (world) => openSdk(world, program),
  }
  // Without something that it can ask, it has no tools that ask.
  const printed: Subject = {
    name,
    mode: 'print',
    steps: { permission: STEPS.permission },
    open: async (world) => openPrinted(world, program),
  }
  return [terminal, sdk, ...(isOld ? [] : [printed])]
}

const openTerminal = async (world: World, program: string): Promise<Session> => {
  const open = async (kind: Kind) => {
    const command = [program, ...claudeFlags(world, kind)]
    const screen = await openScreen(world.root, command, {
      cwd: world.project,
      env: claudeEnv(world),
      ready: /\? for shortcuts|plan mode on/,
      // After an update.
      offer: /Try the new fullscreen renderer\?/,
    })
    return { kind, screen }
  }
  let current = await open('permission')
  const text = () => current.screen.text()
  const isAsking = async (kind: Kind) => DIALOGS[kind].test(await text())
  return {
    isAsking,
    tell: async (prompt, kind) => {
      // An approved plan ends the plan mode.
      if (kind === 'plan' || current.kind === 'plan') {
        await current.screen.close()
        current = await open(kind)
      }
      await current.screen.type(prompt)
      await until('the prompt is typed', async () => (await text()).includes(prompt))
      await current.screen.press('Enter')
    },
    press: async (kind, isYes) => {
      // A dialog that has just appeared ignores keys for a moment.
      await until('the dialog takes the key', async () => {
        await current.screen.press(isYes ? 'Enter' : 'Escape')
        await delay(DIALOG_CLOSES_MS)
        return !(await isAsking(kind))
      })
    },
    settle: async () => {
      await until('the turn ends', async () => {
        const shown = await text()
        return (
          !/esc to interrupt|Waiting…|Running…/.test(shown) &&
          !Object.values(DIALOGS).some((one) => one.test(shown))
        )
      })
    },
    seen: text,
    close: () => current.screen.close(),
  }
}
