import { StewardError } from '@steward/contract'
import type { LocalRuntime } from '@steward/runner'
import { Command, Option } from 'commander'
import { gatherInput } from '../../input/gather-input.ts'
import { parseFlags } from '../../input/parse-flags.ts'
import { suggestOptions } from '../../input/suggest-options.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { printOutcome } from '../../run/print-outcome.ts'
import { watchRun } from '../../run/watch-run.ts'
import { declaredByName } from './declared-by-name.ts'
import type { RunRequest } from './request.ts'
import { runOnWorker } from './run-on-worker.ts'

interface RunFlags {
  local?: true
  mode?: 'local' | 'cloud'
  input?: string
  idempotencyKey?: string
  inspect?: true
  json?: true
  quiet?: true
  verbose?: true
}

const HELP = `
The input is one JSON object. Later ways override earlier ones, field by field:
  standard input             echo '{"content":"…"}' | steward run A_SUMMARIZE --local
  JSON as a word             steward run A_SUMMARIZE '{"content":"…"}' --local
  --input JSON | @file | -   steward run A_SUMMARIZE --input @article.json --local
  --key value                steward run P_LABEL_AND_RATE --url https://example.com/a --local
    Values are parsed as JSON if they are valid JSON; a flag without a value is true; @file reads a
    file, @- standard input, and @@ starts a value with @: --content @article.md --title "On tea"

The output is bare JSON on stdout, so that actions can be piped; progress and errors go to stderr.
Without --local a worker is called: on the local edge (steward edge up) if one runs and has it,
otherwise the deployed one (settings.json: edge; AUTH_TOKEN). --mode cloud always calls the deployed
one. A line on stderr says which was used.
^C leaves the run resumable: steward runs resume ID.
`

export const createRunCommand = (io: Io): Command => {
  const command = new Command('run')
    .description('Run an action or pipeline with an input')
    .usage('NAME [json] [--local] [options] [--key value …]')
    .argument('<name>', 'A_… or P_…')
    .argument('[words...]', 'the input as JSON; any --key value')
    .option('-l, --local', 'run on this machine')
    .addOption(
      new Option('--mode <where>', 'local: as --local; cloud: the deployed worker').choices([
        'local',
        'cloud',
      ]),
    )
    .option('-i, --input <json>', 'the input: JSON, @file, or - for standard input')
    .option('--idempotency-key <key>', 'run at most once per key')
    .option('--inspect', 'wait for a debugger; no time limit (with --local)')
    .option('--json', 'print the whole answer, not only the output')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'more progress on stderr')
    .allowUnknownOption()
    .addHelpText('after', HELP)
  return command.action(async (name: string, words: string[], flags: RunFlags) => {
    const request = {
      name,
      ...parseFlags(words),
      input: flags.input,
      idempotencyKey: flags.idempotencyKey,
      deployed: flags.mode === 'cloud',
      wholeAnswer: flags.json === true,
      quiet: flags.quiet === true,
      verbose: flags.verbose === true,
      inspect: flags.inspect === true,
      options: command.options.flatMap(({ long }) => long?.slice(2) ?? []),
    }
    const local = flags.local === true || flags.mode === 'local'
    if (request.inspect && !local) {
      const reason = 'only actions on this machine can be debugged; add --local'
      throw new StewardError('invalid_input', { subject: '--inspect', reason })
    }
    if (request.inspect && !process.allowedNodeEnvironmentFlags.has('--allow-inspector')) {
      const reason = `Node ${process.versions.node} cannot debug an isolated action; use Node 24`
      throw new StewardError('not_available', { subject: '--inspect', reason })
    }
    io.exitCode = await (local ? runLocally(io, request) : runOnWorker(io, request))
  })
}

/** Runs on this machine, with history; returns the exit code. */
const runLocally = (io: Io, request: RunRequest): Promise<number> =>
  withLocalRuntime(io, async (steward) => {
    const declared = await declaredByName(steward.catalog, request.name)
    suggestOptions(request.flags.keys(), declared, request.options)
    const input = await gatherInput(io, { ...request, declared })
    const outcome = await watchRun(io, request, (watching) =>
      steward.runner.run(request.name, input, {
        ...watching,
        ...keyOf(request),
        ...(request.inspect ? { onInspector: (address) => tellInspector(io, address) } : {}),
      }),
    )
    return printOutcome(io, outcome, request)
  })

const tellInspector = ({ err }: Io, address: string): void => {
  const page = `devtools://devtools/bundled/js_app.html?ws=${address.replace('ws://', '')}`
  err.write(`debugger: ${address}\n`)
  err.write(
    `  The action waits. Attach your editor to this address, or open in Chrome:\n  ${page}\n`,
  )
}

const keyOf = ({ idempotencyKey }: RunRequest): Parameters<LocalRuntime['runner']['run']>[2] =>
  idempotencyKey === undefined ? {} : { idempotencyKey }
