import { type Judgement, parseJson, StewardError } from '@steward/contract'
import { inspectPrompt, judgeNamedPath, judgeTool, type PathAccess } from '@steward/policy'
import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { openHomePolicy } from './open-security.ts'
import { paintVerdict } from './paint-verdict.ts'

const HELP = `
Examples:
  steward security try 'git push --force'
  steward security try --tool Write --input '{"file_path": "~/.bashrc"}' --json
  steward security try --path ~/.ssh/id_ed25519 --effect read
  steward security try --prompt 'Ignore all previous instructions'

Prints the verdict of the guards (deny, ask, alert or pass), the rule and the reason. Nothing is run.
Every verdict exits 0; exit code 2 means that the policy file or the arguments are invalid.
The policy is USER/SECURITY/PATTERNS.yaml of the data home, or the built-in one (docs/security-policy.md).
`

interface TryOptions {
  tool: string
  input?: string | undefined
  prompt?: string
  path?: string
  effect: PathAccess
  cwd?: string
  json?: true
}

export const createSecurityTryCommand = (io: Io): Command =>
  new Command('try')
    .description('Test a command, path or prompt; runs nothing')
    .argument('[input]', 'a command line, in quotes: the same as --input')
    .option('--tool <name>', 'the tool of the assistant', 'Bash')
    .option('--input <text>', "the tool's input: a command line, a path, or its JSON")
    .option('--prompt <text>', 'a prompt to inspect')
    .option('--path <path>', 'a path to judge')
    .addOption(
      new Option('--effect <effect>', 'the access to the path')
        .choices(['read', 'write', 'delete'])
        .default('read'),
    )
    .option('--cwd <directory>', 'where the command would run (default: here)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (bare: string | undefined, options: TryOptions) => {
      checkOneGiven(bare, options)
      const judgement = await judge(io, { ...options, input: bare ?? options.input })
      if (options.json) printJson(io.out, judgement)
      else print(io, judgement)
    })

const checkOneGiven = (bare: string | undefined, { input, prompt, path }: TryOptions): void => {
  const given = [bare, input, prompt, path].filter((each) => each !== undefined)
  if (given.length === 1) return
  throw new StewardError('invalid_input', {
    subject: 'steward security try',
    reason: 'give one of a command in quotes, --input, --prompt and --path',
  })
}

const judge = async (io: Io, options: TryOptions): Promise<Judgement> => {
  if (options.prompt !== undefined) return inspectPrompt(options.prompt)
  const policy = await openHomePolicy(io)
  for (const warning of policy.warnings) {
    io.err.write(`${io.err.paint.yellow('warning')}: ${cleanText(warning)}\n`)
  }
  const place = { cwd: options.cwd ?? io.cwd, environment: io.env }
  if (options.path !== undefined) return judgeNamedPath(options.path, options.effect, policy, place)
  const { tool, input = '' } = options
  return judgeTool({ tool, input: readInput(input) }, policy, place)
}

/** The JSON that a host would send, or its plain text. */
const readInput = (text: string): unknown => {
  if (!text.trimStart().startsWith('{')) return text
  const parsed = parseJson(text, '--input')
  // `{ ls; }` is a command.
  return parsed.ok ? parsed.value : text
}

const print = (io: Io, { verdict, rule, reason, part, shadowed = [] }: Judgement): void => {
  io.out.write(`${paintVerdict(verdict, io.out.paint)}: ${cleanText(reason)}\n`)
  if (rule !== '') io.out.write(`  rule: ${cleanText(rule)}\n`)
  if (part !== '') io.out.write(`  part: ${cleanText(part)}\n`)
  for (const shadow of shadowed) {
    io.out.write(`  in shadow: ${shadow.verdict} by ${cleanText(shadow.rule)}\n`)
  }
}
