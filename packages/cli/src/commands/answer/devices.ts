import type { AnswerDevice } from '@steward/contract'
import { Command } from 'commander'
import { renderUnicodeCompact } from 'uqr'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { openAnswerClient } from './answer-client.ts'

export const createDevicesCommand = (io: Io): Command =>
  new Command('devices')
    .description('Manage phones and browsers that may answer')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createAddCommand(io))
    .addCommand(createPairCommand(io))
    .addCommand(createAllowCommand(io))
    .addCommand(createRevokeCommand(io))

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('List devices and their last answers')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { devices } = await (await openAnswerClient(io)).call('listAnswerDevices')
      if (json) return printJson(io.out, { devices })
      if (devices.length === 0) return io.out.write('no device may answer\n')
      const rows = devices.map((device) => [
        device.id,
        cleanText(device.name),
        device.ways.join(', ') || '-',
        device.answers ? 'yes' : 'no',
        device.createdAt,
        device.lastAnswerAt ?? '-',
        stateOf(device),
      ])
      const titles = ['ID', 'NAME', 'WAYS', 'MAY ANSWER', 'ADDED', 'LAST ANSWER', 'STATE']
      io.out.write(formatTable([titles, ...rows]))
    })

const stateOf = ({ revokedAt, pairUntil }: AnswerDevice): string => {
  if (revokedAt !== null) return `revoked ${revokedAt}`
  return pairUntil === null ? 'active' : `pairing until ${pairUntil}`
}

const createPairCommand = (io: Io): Command =>
  new Command('pair')
    .description('Pair a phone through your relay; shows a QR code')
    .argument('<name>', 'name of the device')
    .option('--answers', 'let it answer; otherwise it only shows requests')
    .option('--json', 'print JSON')
    .addHelpText('after', PAIR_HELP)
    .action(async (name: string, { answers, json }: { answers?: true; json?: true }) => {
      const client = await openAnswerClient(io)
      const body = { name, ...(answers === undefined ? {} : { answers }) }
      const paired = await client.call('pairAnswerDevice', { body })
      if (json) return printJson(io.out, paired)
      const { device, link } = paired
      const mayAnswer = device.answers
        ? 'It may answer.'
        : `It shows requests. To let it answer: steward answer devices allow ${cleanText(name)}`
      io.out.write(`${renderUnicodeCompact(link, { ecc: 'L' })}

Scan the code with the phone, within 10 minutes. Only the first device that opens it is paired.
${mayAnswer}
Without a camera, open this address; it is a secret:
${link}
`)
    })

const PAIR_HELP = `
The relay is a worker in your own account. Create it once:
  1. set "edge": { "relay": true } in settings.json
  2. steward edge build --only RELAY && steward deploy relay
  3. steward secrets set AUTH_TOKEN --worker relay    the value that is in .env

Everything that passes through it is encrypted from the phone to this machine. No port is opened.
`

const createAllowCommand = (io: Io): Command =>
  new Command('allow')
    .description('Let a device answer, or only show requests')
    .argument('<device>', 'its name or id')
    .option('--off', 'refuse its answers from now on')
    .option('--json', 'print JSON')
    .action(async (id: string, { off, json }: { off?: true; json?: true }) => {
      const client = await openAnswerClient(io)
      const body = { answers: off !== true }
      const allowed = await client.call('allowAnswerDevice', { params: { id }, body })
      if (json) return printJson(io.out, allowed)
      const { name, answers } = allowed.device
      io.out.write(`${cleanText(name)} may ${answers ? 'answer' : 'look, but not answer'}\n`)
    })

const createAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Let a device answer by push buttons; shows its topic')
    .argument('<name>', 'name of the device')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: { json?: true }) => {
      const added = await (await openAnswerClient(io)).call('addAnswerDevice', { body: { name } })
      if (json) return printJson(io.out, added)
      io.out.write(`${cleanText(added.device.name)} may answer now. Subscribe to its topic once:
  phone    install the ntfy app, add a subscription, topic: ${added.topic}
  browser  ${added.address}

Anyone who can read the topic can answer for you, so it is shown only once. On a server of your own,
restrict access to topics that start with steward-.
`)
    })

const createRevokeCommand = (io: Io): Command =>
  new Command('revoke')
    .description('Revoke a device; takes effect at once')
    .argument('<device>', 'its name or id')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const client = await openAnswerClient(io)
      const revoked = await client.call('revokeAnswerDevice', { params: { id }, body: {} })
      if (json) return printJson(io.out, revoked)
      io.out.write(`${cleanText(revoked.device.name)} may not answer any more\n`)
    })
