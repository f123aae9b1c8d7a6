import { isJsonObject } from '@steward/contract'
import type { Step } from '../vendor.ts'

/** What a session was told to do, as far as its request says it. */
interface Instructions {
  /** The skill to load, and the file of a workflow to read, before anything else. */
  skill?: string | undefined
  workflow?: string | undefined
  /** The path of the specification, and its form. */
  path?: string | undefined
  form?: string | undefined
  phases: string[]
  /** The command lines that announce a phase and a workflow. */
  announcePhase?: string | undefined
  announceWorkflow?: string | undefined
  isSpoken: boolean
}

const EFFORT = 'extended'
export const WORK = { file: 'dates.mjs', criteria: ['ISO dates are read', 'No date is guessed'] }
export const SPOKEN = 'The date parser is ready and its check passes.'

/** Every text that the model can read, with real line ends. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  return parts.map(textOf).join('\n')
}

const first = (text: string, pattern: RegExp): string | undefined => pattern.exec(text)?.[1]

/**
 * Reads what the request asks for. Nothing is known beforehand: without the session context, the
 * skill or its workflow, the parts that they ask for are missing.
 */
const readInstructions = (request: string): Instructions => {
  const body: unknown = JSON.parse(request)
  const { system, messages, tools } = isJsonObject(body) ? body : {}
  const text = textOf([system, messages])
  const isSkillTold = text.includes('follow the Algorithm skill')
  const listed = first(`${text}\n${textOf(tools)}`, /\b([\w-]+:Algorithm)\b/)
  const folder = first(text, /Read the workflow's file in `([^`]+\/)`/)
  const file = first(text, /everything that takes longer[^|]*\| `(Workflows\/\w+\.md)`/)
  return {
    skill: isSkillTold ? listed : undefined,
    workflow: folder === undefined || file === undefined ? undefined : folder + file,
    path: first(text, /(?:First write|Specification:) `([^`]+\/SPEC\.md)`/),
    form: first(text, /^ *(---\n *task: [\s\S]*?)\n *(?:```|2\. )/m),
    phases:
      first(text, /when the next phase begins(?: \(|: )((?:[a-z]+, )+[a-z]+)/)?.split(', ') ?? [],
    announcePhase: first(text, /^[^"\n]*?`?([^`\n]* announce "[^"]+" --phase [^`\n]*)/m),
    announceWorkflow: first(text, /`([^`\n]* announce --workflow [^`\n]*)`/),
    isSpoken: text.includes('`🗣️ ` and at most 16 words'),
  }
}

/** The steps that follow from a request; more are known once the skill and its workflow are read. */
export const follow = (request: string, project: string): Step[] => {
  const told = readInstructions(request)
  const steps: Step[] = []
  if (told.skill !== undefined) {
    steps.push({ tool: 'Skill', input: { skill: told.skill } })
    if (told.workflow === undefined) return [...steps, answer(told)]
    steps.push({ tool: 'Read', input: { file_path: told.workflow } })
    if (told.announceWorkflow === undefined) return [...steps, answer(told)]
    const folder = told.workflow.replace(/\/Workflows\/.*/, '')
    steps.push(run(announceWorkflow(told.announceWorkflow, folder)))
  }
  return [...steps, ...workInPhases(told, project), answer(told)]
}

const answer = ({ isSpoken }: Instructions): Step => ({
  text: `The parser is in ${WORK.file}.${isSpoken ? `\n\n🗣️ ${SPOKEN}` : ''}`,
})

const run = (command: string): Step => ({
  tool: 'Bash',
  input: { command, description: 'Announces the work' },
})

const announceWorkflow = (command: string, folder: string): string =>
  command.replace('SKILL', `"${folder}"`).replace(/"DO THE TASK"/, '"parse dates"')

const workInPhases = (told: Instructions, project: string): Step[] => {
  const { path, form, phases } = told
  if (path === undefined || form === undefined) return doWork('build', project)
  const file = path.replace('three-or-four-words', 'parse-dates')
  const slug = file.split('/').at(-2) ?? ''
  const edit = (old_string: string, new_string: string): Step => ({
    tool: 'Edit',
    input: { file_path: file, old_string, new_string },
  })
  return phases.flatMap((phase, index) => {
    const before = phases[index - 1]
    return [
      before === undefined
        ? { tool: 'Write', input: { file_path: file, content: specify(form, slug, phase) } }
        : edit(`phase: ${before}`, `phase: ${phase}`),
      ...(phase === 'complete' ? [] : announcePhase(told, phase, slug)),
      ...doWork(phase, project),
      ...(phase === 'verify' ? WORK.criteria.map((one, at) => tick(edit, one, at)) : []),
      ...(phase === 'complete' ? [edit('progress: 0/2', 'progress: 2/2')] : []),
    ]
  })
}

const tick = (edit: (from: string, to: string) => Step, criterion: string, at: number): Step =>
  edit(`- [ ] ${idOf(at)}: ${criterion}`, `- [x] ${idOf(at)}: ${criterion}`)

const idOf = (at: number): string => (at === 0 ? 'ISC-1' : 'ISC-A-1')

/** The form with the task, two criteria and the phase in place of its examples. */
const specify = (form: string, slug: string, phase: string): string => {
  const lines = form.split('\n').map((line) => line.trim())
  const head = lines
    .filter((line) => !line.startsWith('- [ ]'))
    .map((line) =>
      line
        .replace(/^task: .*/, 'task: Parse dates')
        .replace(/^slug: .*/, `slug: ${slug}`)
        .replace(/^effort: .*/, `effort: ${EFFORT}`)
        .replace(/^phase: .*/, `phase: ${phase}`)
        .replace(/^progress: .*/, 'progress: 0/2'),
    )
  return [...head, ...WORK.criteria.map((one, at) => `- [ ] ${idOf(at)}: ${one}`), ''].join('\n')
}

const announcePhase = ({ announcePhase: command }: Instructions, phase: string, slug: string) =>
  command === undefined
    ? []
    : [
        run(
          command
            .replace('Building the parser', `Working on dates in ${phase}`)
            .replace('--phase BUILD', `--phase ${phase.toUpperCase()}`)
            .replace('--slug SLUG', `--slug ${slug}`),
        ),
      ]

const doWork = (phase: string, project: string): Step[] => {
  if (phase === 'build') {
    const content = "console.log(new Date('2026-03-07').getTime())\n"
    return [{ tool: 'Write', input: { file_path: `${project}/${WORK.file}`, content } }]
  }
  return phase === 'execute' ? [run(`node ${WORK.file}`)] : []
}
