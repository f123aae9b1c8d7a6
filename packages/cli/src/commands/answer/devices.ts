import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { openAnswerClient } from './answer-client.ts'

export const createDevicesCommand = (io: Io): Command =>
  new Command('devices')
    .description('Manage devices that may answer by push buttons')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createAddCommand(io))
    .addCommand(createRevokeCommand(io))

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('List devices and their last answers')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { devices } = await (await openAnswerClient(io)).call('listAnswerDevices')
      if (json) return printJson(io.out, { devices })
      if (devices.length === 0) return io.out.write('no device may answer\n')
      const rows = devices.map(({ id, name, createdAt, lastAnswerAt, revokedAt }) => [
        id,
        cleanText(name),
        createdAt,
        lastAnswerAt ?? '-',
        revokedAt === null ? 'active' : `revoked ${revokedAt}`,
      ])
      io.out.write(formatTable([['ID', 'NAME', 'ADDED', 'LAST ANSWER', 'STATE'], ...rows]))
    })

const createAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Let a device answer; shows its topic once')
    .argument('<name>', 'name of the device')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: { json?: true }) => {
      const added = await (await openAnswerClient(io)).call('addAnswerDevice', { body: { name } })
      if (json) return printJson(io.out, added)
      io.out.write(`${cleanText(added.device.name)} may answer now. Subscribe to its topic once:
  phone    install the ntfy app, add a subscription, topic: ${added.topic}
  browser  ${added.address}

Whoever can read the topic can answer for you, and it is shown this once. On a server of your own,
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
