import {
  isJsonObject,
  type JsonObject,
  LIMITS,
  parseJson,
  StewardError,
  typeOf,
  unwrap,
} from '@steward/contract'
import { Command } from 'commander'
import { readTextFile } from '../../input/read-text-file.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { notifyRunEnded } from '../../run/notify-run-ended.ts'
import { printFlowOutcome } from '../../run/print-outcome.ts'
import { watchRun } from '../../run/watch-run.ts'

interface TriggerFlags {
  force?: true
  notify?: true
  input?: string
  body?: string
  signature?: string
  json?: true
  quiet?: true
  verbose?: true
}

const HELP = `
Examples:
  steward trigger F_SAMPLE_DIGEST
  steward trigger F_NEWS_DIGEST --input '{"language": "de"}'   override fields for this run
  steward trigger F_NEWS_DIGEST --input '{"title": "A test", "content": "Text"}'   process only this item
  steward trigger F_NEWS_DIGEST --notify      in a crontab: send failures to your channels
  steward trigger F_ORDERS_LABEL --body @call.json --signature sha256=…    a webhook call, by hand
`

export const createTriggerCommand = (io: Io): Command =>
  new Command('trigger')
    .description('Run a flow once, now')
    .argument('<flow>', 'a name (F_…) or an id')
    .option('--force', 'run it even if it is disabled')
    .option('--notify', 'unattended: send failures to your channels')
    .option('-i, --input <json>', 'JSON or @file: overrides `with`, or the item to work on')
    .option('--body <text>', "for a webhook source: the call's body, or @file")
    .option('--signature <signature>', "for a webhook source: the call's signature")
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'more progress on stderr')
    .addHelpText('after', HELP)
    .action((flow: string, flags: TriggerFlags) =>
      withLocalRuntime(io, async (steward, notifier) => {
        const webhook = await readWebhook(io, flags)
        const input = flags.input === undefined ? undefined : await readInput(io, flags.input)
        const options = { quiet: flags.quiet === true, verbose: flags.verbose === true, flow: true }
        const outcome = await watchRun(io, options, (watching) =>
          steward.flows.trigger(flow, {
            ...watching,
            onEnding: notifyRunEnded(steward, notifier, flags.notify !== true),
            ...(flags.force ? { force: true } : {}),
            ...(webhook === undefined ? {} : { webhook }),
            ...(input === undefined ? {} : { input }),
          }),
        )
        io.exitCode = printFlowOutcome(io, outcome, steward, flags.json === true)
      }),
    )

const readInput = async (io: Io, given: string): Promise<JsonObject> => {
  const text = given.startsWith('@') ? await readTextFile(given.slice(1), io.cwd) : given
  const json = unwrap(parseJson(text, '--input', LIMITS.jsonDepth))
  if (isJsonObject(json)) return json
  const reason = `must be a JSON object, found ${typeOf(json)}`
  throw new StewardError('invalid_input', { subject: '--input', reason })
}

const readWebhook = async (io: Io, { body, signature }: TriggerFlags) => {
  if (body === undefined) return undefined
  const text = body.startsWith('@') ? await readTextFile(body.slice(1), io.cwd) : body
  const header = (name: string) => (OTHER_HEADERS.test(name) ? undefined : signature)
  return { body: new TextEncoder().encode(text), header }
}

/** Whatever the scheme and the header's name, only the signature is given by hand. */
const OTHER_HEADERS = /(?:-id|-delivery|-timestamp|content-type)$/
