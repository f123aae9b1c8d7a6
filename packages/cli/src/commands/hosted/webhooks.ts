import { BETA_FAMILIES, type WebhookDelivery, type WebhookEndpoint } from '@steward/contract'
import { Command, Option } from 'commander'
import { collectOption, parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findByName } from './find-by-name.ts'
import { showAnswer } from './show-answer.ts'
import { type TargetFlags, withTarget } from './target.ts'
import type { HostedClient } from './types.ts'

const HELP = `
Examples:
  steward hosted webhooks create --address https://example.com/hook \\
    --event session.status_idled --event session.requires_action
  steward hosted webhooks deliveries               list deliveries and their results
  steward hosted webhooks disable WEBHOOK          events of the meantime are never sent
  steward hosted webhooks secret WEBHOOK           replace the secret; the old one is invalid at once

The secret is printed once; receivers check signatures with it. docs/hosted.md lists the events.
`

const PATH = '/v1/organizations/webhooks'
const DELIVERIES = '/v1/steward/webhook_deliveries'
const headers = { 'anthropic-beta': BETA_FAMILIES.webhooks }

export const createHostedWebhooksCommand = (io: Io): Command =>
  new Command('webhooks')
    .description('Send events to your own programs')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createCreateCommand(io))
    .addCommand(createSwitchCommand(io, 'enable', 'Enable an endpoint; sends events from now on'))
    .addCommand(createSwitchCommand(io, 'disable', 'Disable an endpoint; its events are not sent'))
    .addCommand(createSecretCommand(io))
    .addCommand(createDeliveriesCommand(io))
    .addCommand(createDeleteCommand(io))
    .addHelpText('after', HELP)

/** The client's own types know only the vendor's events, which never happen here. */
const listWebhooks = async (client: HostedClient): Promise<readonly WebhookEndpoint[]> =>
  (await client.get<{ data: WebhookEndpoint[] }>(PATH, { query: { limit: 100 }, headers })).data

const findWebhook = (client: HostedClient, word: string): Promise<string> =>
  findByName('webhook', word, 'whep_', async function* () {
    for (const { id, name } of await listWebhooks(client)) yield { id, name }
  })

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List webhook endpoints')
    .action((flags: TargetFlags) =>
      showAnswer(io, flags, listWebhooks, (found) =>
        found.length === 0
          ? `none yet: ${COMMAND} hosted webhooks create --address URL --event EVENT\n`
          : formatTable(
              found.map((each) => [
                each.id,
                each.state,
                cleanText(each.url),
                each.enabled_events.join(', '),
                cleanText(each.name),
              ]),
            ),
      ),
    )

interface CreateFlags extends TargetFlags {
  address: string
  event: string[]
  name?: string
}

const createCreateCommand = (io: Io): Command =>
  withTarget(new Command('create'))
    .description('Add a webhook endpoint; print its secret once')
    .requiredOption('--address <url>', 'address that receives the events')
    .addOption(
      new Option('--event <event>', 'event to send; repeatable')
        .argParser(collectOption)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'its name')
    .action((flags: CreateFlags) =>
      showAnswer(
        io,
        flags,
        (client) =>
          client.post<WebhookEndpoint & { signing_secret: string }>(PATH, {
            body: { url: flags.address, enabled_events: flags.event, name: flags.name },
            headers,
          }),
        ({ id, signing_secret }) => `${id}\n${signing_secret}\n`,
      ),
    )

const createSwitchCommand = (io: Io, how: 'enable' | 'disable', description: string): Command =>
  withTarget(new Command(how))
    .description(description)
    .argument('<webhook>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) =>
          client.beta.organization.webhooks.update(await findWebhook(client, word), {
            state: `${how}d`,
          }),
        ({ id, state }) => `${id} is ${state}\n`,
      ),
    )

const createSecretCommand = (io: Io): Command =>
  withTarget(new Command('secret'))
    .description('Replace the signing secret; print the new one once')
    .argument('<webhook>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) =>
          client.beta.organization.webhooks.regenerateSigningSecret(
            await findWebhook(client, word),
          ),
        ({ signing_secret }) => `${signing_secret}\n`,
      ),
    )

const createDeliveriesCommand = (io: Io): Command =>
  withTarget(new Command('deliveries'))
    .description('List deliveries, newest first')
    .argument('[webhook]', 'its id or name')
    .option('--limit <count>', 'maximum number of entries', parseCount, 20)
    .action((word: string | undefined, flags: TargetFlags & { limit: number }) =>
      showAnswer(
        io,
        flags,
        async (client) => {
          const only = word === undefined ? {} : { endpoint_id: await findWebhook(client, word) }
          const query = { limit: flags.limit, ...only }
          return (await client.get<{ data: WebhookDelivery[] }>(DELIVERIES, { query, headers }))
            .data
        },
        (sent) => (sent.length === 0 ? 'none yet\n' : renderDeliveries(sent)),
      ),
    )

const createDeleteCommand = (io: Io): Command =>
  withTarget(new Command('delete'))
    .description('Delete an endpoint and its deliveries')
    .argument('<webhook>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => client.beta.organization.webhooks.delete(await findWebhook(client, word)),
        ({ id }) => `${id} is deleted\n`,
      ),
    )

const renderDeliveries = (sent: readonly WebhookDelivery[]): string =>
  formatTable(
    sent.map(({ id, created_at, event_type, state, attempts, last_result }) => [
      id,
      formatTime(created_at),
      event_type,
      state,
      `${attempts}x`,
      cleanText(last_result ?? ''),
    ]),
  )
