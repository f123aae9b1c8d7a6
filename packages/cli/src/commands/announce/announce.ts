import { basename, isAbsolute, join, resolve } from 'node:path'
import { StewardError } from '@steward/contract'
import {
  announceRequest,
  announceWorkflow,
  findCompletionLine,
  findSkip,
  findTabTarget,
  readEffort,
  readPhase,
  SKIPS,
  type Skill,
  speaksPhase,
  tabPorts,
} from '@steward/notify'
import { listIfPresent, readIfPresent, readSettings, resolveHome } from '@steward/platform'
import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { type Posting, postInBackground, postNow } from './post-announcement.ts'

interface AnnounceFlags {
  request?: string
  workflow?: string
  skill?: string
  action?: string
  inside?: string
  phase?: string
  effort?: string
  slug?: string
  session?: string
  agent?: string
  completion?: true
  printOnly?: true
  json?: true
  post?: true
}

const HELP = `
Examples:
  steward announce "the login page" --request "Can you fix the login?"
  steward announce --workflow Extract --skill Research --action "summarise three papers"
  steward announce "Checking the work" --phase VERIFY --effort Standard --slug "$SLUG"
  steward announce --completion --session "$SESSION_ID" < last-message.md

Prints the announcement and sends it to the daemon in the background, without waiting. It also works
without a daemon. Conversation, quick looks and parts of announced work are printed but not spoken.
`

/** The printed and spoken text, or why it is not spoken. */
interface Composed {
  printed: string
  spoken: string
  skipped?: string
}

export const createAnnounceCommand = (io: Io, post = postInBackground): Command =>
  new Command('announce')
    .description('Announce the next step without waiting')
    .argument('[what]', 'the work; a gerund that fits the request is prepended')
    .option('--request <text>', "the person's request")
    .option('--workflow <name>', 'a workflow of a skill; needs --skill and --action')
    .option('--skill <name>', "the skill's name or directory")
    .option('--action <words>', 'the purpose of the workflow, under 6 words')
    .option('--inside <workflow>', 'the announced workflow that started this one')
    .option('--phase <phase>', 'OBSERVE, THINK, PLAN, BUILD, EXECUTE, VERIFY, LEARN or COMPLETE')
    .option('--effort <tier>', 'standard speaks OBSERVE and VERIFY only; the others every phase')
    .option('--slug <slug>', 'the session that the phase belongs to')
    .option('--session <id>', "the host's session; its phases show in this terminal's tab")
    .option('--agent <name>', 'the agent whose voice to use')
    .option('--completion', 'speak the marked line of a last message on standard input')
    .option('--print-only', 'only print it')
    .option('--json', 'print a JSON object')
    .addOption(new Option('--post').hideHelp())
    .addHelpText('after', HELP)
    .action(async (what: string | undefined, flags: AnnounceFlags) => {
      if (flags.post === true) return postNow(io)
      const composed = await compose(io, what, flags)
      const isPosted = composed.skipped === undefined && flags.printOnly !== true
      if (isPosted) post(io, await postingOf(io, composed.spoken, flags))
      print(io, composed, flags, isPosted)
    })

const compose = async (
  io: Io,
  what: string | undefined,
  flags: AnnounceFlags,
): Promise<Composed> => {
  if (flags.effort !== undefined && flags.phase === undefined) {
    throw wrong('--effort', 'it selects which phases are spoken: add --phase')
  }
  if (flags.completion === true) return composeCompletion(io)
  if (flags.skill !== undefined || flags.workflow !== undefined) {
    return composeWorkflow(io, what, flags)
  }
  if (flags.phase !== undefined) return composePhase(what, flags.phase, flags.effort)
  if (what === undefined || what.trim() === '') {
    throw wrong('what', 'give a text, a --workflow or a --phase')
  }
  const { text } = announceRequest(what, flags.request)
  const skip = findSkip({
    request: flags.request ?? what,
    ...(flags.inside === undefined ? {} : { inside: flags.inside }),
  })
  return { printed: text, spoken: text, ...(skip === undefined ? {} : { skipped: SKIPS[skip] }) }
}

const composePhase = (
  what: string | undefined,
  name: string,
  tier: string | undefined,
): Composed => {
  const phase = readPhase(name)
  const effort = tier === undefined ? undefined : readEffort(tier)
  const text =
    what?.trim() || `Entering the ${phase.charAt(0)}${phase.slice(1).toLowerCase()} phase`
  const isSpoken = effort === undefined || speaksPhase(effort, phase)
  return {
    printed: text,
    spoken: text,
    ...(isSpoken ? {} : { skipped: `${effort} effort does not announce ${phase}` }),
  }
}

const composeWorkflow = async (
  io: Io,
  what: string | undefined,
  { skill: name, workflow, action, inside }: AnnounceFlags,
): Promise<Composed> => {
  if (name === undefined) throw wrong('--workflow', 'it belongs to a skill: add --skill')
  const skill = await readSkill(io, name)
  const skip = findSkip({
    skill,
    ...(workflow === undefined ? {} : { workflow }),
    ...(inside === undefined ? {} : { inside }),
  })
  if (skip !== undefined || workflow === undefined) {
    const text = what ?? `Using the ${skill.name} skill`
    return { printed: text, spoken: text, skipped: SKIPS[skip ?? 'direct-skill-handling'] }
  }
  return announceWorkflow(skill, workflow, action ?? what ?? '')
}

const composeCompletion = async (io: Io): Promise<Composed> => {
  const settings = await readSettings(resolveHome(io.env, io.homedir))
  const speaker = settings.ok ? settings.value.daidentity.name : undefined
  const text = io.stdinKind() === 'nothing' ? '' : await readAll(io)
  const found = findCompletionLine({ text, ...(speaker === undefined ? {} : { speaker }) })
  if ('line' in found) return { printed: found.line, spoken: found.line }
  const skipped =
    found.skip === 'too-short'
      ? 'the line is shorter than 5 characters'
      : 'the message has no sentence to speak'
  return { printed: '', spoken: '', skipped }
}

const MOST_BYTES = 4 * 1024 * 1024

const readAll = async (io: Io): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of io.stdin) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > MOST_BYTES) {
      const details = { subject: 'standard input', bytes, limit: MOST_BYTES }
      throw new StewardError('payload_too_large', details)
    }
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString()
}

const postingOf = async (io: Io, message: string, flags: AnnounceFlags): Promise<Posting> => {
  const { session, slug, agent, phase, completion } = flags
  const tab =
    session === undefined
      ? undefined
      : await findTabTarget({ env: io.env, pid: process.pid }, tabPorts)
  return {
    request: {
      message,
      ...(phase === undefined ? {} : { phase: readPhase(phase) }),
      ...(slug === undefined ? {} : { slug }),
      ...(session === undefined ? {} : { session_id: session }),
      ...(agent === undefined ? {} : { agent }),
      ...(completion === undefined ? {} : { kind: 'taskComplete' as const }),
    },
    ...(tab === undefined ? {} : { tab }),
  }
}

const print = (
  io: Io,
  { printed, spoken, skipped }: Composed,
  { json }: AnnounceFlags,
  isPosted: boolean,
): void => {
  if (json === true) {
    const row = { printed, spoken: skipped === undefined ? spoken : null, posted: isPosted }
    io.out.write(`${JSON.stringify({ ...row, skipped: skipped ?? null })}\n`)
    return
  }
  if (printed !== '') io.out.write(`${cleanText(printed)}\n`)
  if (skipped !== undefined) io.err.write(`not spoken: ${cleanText(skipped)}\n`)
}

const wrong = (subject: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject, reason })

/** Finds a skill by its directory, or by its name in the assistants' skill folders. */
const readSkill = async (io: Io, name: string): Promise<Skill> => {
  for (const folder of foldersFor(io, name)) {
    const text = await readIfPresent(join(folder, 'SKILL.md'))
    if (text === undefined) continue
    const workflowFiles = await listIfPresent(join(folder, 'Workflows'), { recursive: true })
    return { name: basename(folder), workflowFiles, text }
  }
  const where = foldersFor(io, name).join(', ')
  throw new StewardError('not_found', { what: 'skill', name, hint: ` (looked in ${where})` })
}

const foldersFor = (io: Io, name: string): string[] => {
  if (isAbsolute(name) || name.includes('/')) return [resolve(io.cwd, name)]
  const own = io.env.CLAUDE_CONFIG_DIR ?? join(io.homedir, '.claude')
  return [join(io.cwd, '.claude', 'skills', name), join(own, 'skills', name)]
}
