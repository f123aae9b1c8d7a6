import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeAgent, parseNamedAgent, renderNamedAgent, slugOfAgent } from '@steward/agents'
import { MODEL_TIERS, type ModelTier, StewardError, unwrap } from '@steward/contract'
import { writeFileAtomically } from '@steward/platform'
import { Command, Option } from 'commander'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { findAgent, openAgentsHome } from './roster.ts'

interface NewFlags {
  description?: string
  role?: string
  model: ModelTier
  traits?: string
  voiceId?: string
  type?: string
  body?: string
  json?: true
}

export const createAgentsNewCommand = (io: Io): Command =>
  new Command('new')
    .description('Create a named agent; never overwrites one')
    .argument('<name>', 'its name')
    .option('--description <text>', 'its purpose, in one line')
    .option('--role <text>', 'such as "architecture lead" or "primary researcher"')
    .addOption(
      new Option('--model <tier>', 'its model tier').choices(MODEL_TIERS).default('standard'),
    )
    .option('--traits <list>', 'initial traits of its persona and voice')
    .option('--voice-id <id>', "the speech provider's voice")
    .option('--type <type>', 'the subagent type that runs it')
    .option('--body <text>', 'its persona; @file reads a file, - standard input')
    .option('--json', 'print JSON')
    .action(async (name: string, flags: NewFlags) => {
      const { home } = await openAgentsHome(io)
      const path = join(home.user.agents, `${slugOfAgent(name)}.md`)
      if (existsSync(path)) {
        const reason = `it already exists: ${path} (steward agents edit)`
        throw new StewardError('invalid_name', { name, reason })
      }
      const text = await renderNew(io, name, flags)
      const parsed = parseNamedAgent(text, `the agent ${name}`)
      if (!parsed.ok)
        throw new StewardError('invalid_input', { subject: name, reason: parsed.error.message })
      await mkdir(home.user.agents, { recursive: true, mode: 0o700 })
      await writeFileAtomically(path, renderNamedAgent(parsed.value))
      if (flags.json) printJson(io.out, { ...parsed.value.agent, path })
      else io.out.write(`made: ${path}\n`)
    })

const renderNew = async (io: Io, name: string, flags: NewFlags): Promise<string> => {
  const composed = flags.traits === undefined ? undefined : composeAgent({ traits: [flags.traits] })
  if (composed !== undefined && !composed.ok) throw composed.error
  const { body } = await readBodyOption(io, flags.body)
  const role = flags.role ?? 'specialist'
  const persona =
    composed?.value.prompt.replace(/^# .*\n+You are .*\n+/, '').replace(/## Scope[\s\S]*$/, '') ??
    ''
  const voiceId = flags.voiceId ?? composed?.value.voice
  return renderNamedAgent({
    agent: {
      name,
      description: flags.description ?? `${role}, called ${name}`,
      aliases: [],
      model: flags.model,
      traits: composed?.value.traits ?? [],
      ...(flags.role === undefined ? {} : { role: flags.role }),
      ...(flags.type === undefined ? {} : { type: flags.type }),
      ...(voiceId === undefined ? {} : { voiceId }),
      ...(composed === undefined
        ? {}
        : { voice: composed.value.voice_settings, color: composed.value.color }),
    },
    body: body ?? `You are ${name}, ${role}.\n\n${persona}`,
  })
}

export const createAgentsEditCommand = (io: Io): Command =>
  new Command('edit')
    .description('Edit an agent in $EDITOR; checks it before saving')
    .argument('<name>', 'its name')
    .action(async (name: string) => {
      const { home } = await openAgentsHome(io)
      const found = await findAgent(home, name)
      const slug = slugOfAgent(found.agent.name)
      await editText(io, `${slug}.md`, renderNamedAgent(found), async (edited) => {
        const parsed = unwrap(parseNamedAgent(edited, `${slug}.md`))
        await writeFileAtomically(found.path, renderNamedAgent(parsed))
        io.out.write(`saved: ${found.path}\n`)
      })
    })

/**
 * Opens a text in the person's editor and passes the result to `accept`. If that throws, the file
 * is kept, and the output says where.
 */
const editText = async (
  io: Io,
  name: string,
  text: string,
  accept: (edited: string) => Promise<void>,
): Promise<void> => {
  const editor = io.env.VISUAL ?? io.env.EDITOR
  if (!editor) {
    const reason = 'set EDITOR, as in: export EDITOR=nano'
    throw new StewardError('not_configured', { subject: 'an editor', reason })
  }
  const folder = await mkdtemp(join(tmpdir(), 'steward-agent-'))
  const path = join(folder, name)
  await writeFile(path, text, { mode: 0o600 })
  // A shell splits `code --wait` as the person intended.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  const [code]: unknown[] = await once(child, 'exit')
  try {
    if (code !== 0) {
      const reason = `${editor} ended with ${code}; nothing was changed`
      throw new StewardError('invalid_input', { subject: 'the editor', reason })
    }
    await accept(await readFile(path, 'utf8'))
  } catch (thrown) {
    io.err.write(`your text is kept: ${path}\n`)
    throw thrown
  }
  await rm(folder, { recursive: true, force: true })
}
