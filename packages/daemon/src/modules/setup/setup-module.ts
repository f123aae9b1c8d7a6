import {
  ASSISTANTS,
  applyUninstall,
  type HostPlace,
  hostFile,
  planUninstall,
  readIfThere,
  readInstalled,
  repairHooks,
} from '@steward/assistants'
import {
  API,
  fields,
  type HostName,
  parseJson,
  StewardError,
  settings as settingsSchema,
  unwrap,
} from '@steward/contract'
import {
  changeSettings,
  type Home,
  parseSettings,
  readIfPresent,
  resetSetting,
} from '@steward/platform'
import { z } from 'zod'
import type { Bus } from '../../bus/bus.ts'
import { type DaemonModule, handle } from '../../module.ts'

export interface SetupPorts {
  home: Home
  bus: Bus
  /** Where the assistants of this account are. */
  place: HostPlace
  /** The folder of the installed program. */
  installation: string
}

/** The sections that a person may change; other keys of the file belong to other tools. */
const SECTIONS = new Set(Object.keys(settingsSchema.shape).filter((key) => key !== '$schema'))

/** Settings and connected assistants, for the dashboard. */
export const createSetupModule = ({ home, bus, place, installation }: SetupPorts): DaemonModule => {
  const read = async () => {
    const text = (await readIfPresent(home.settings)) ?? '{}'
    const set = fields.parse(unwrap(parseJson(text, home.settings)))
    const inForce = unwrap(parseSettings(text, home.settings))
    return {
      set: Object.fromEntries(Object.entries(set).filter(([key]) => SECTIONS.has(key))),
      inForce: Object.fromEntries(Object.entries(inForce).filter(([key]) => SECTIONS.has(key))),
      schema: fields.parse(z.toJSONSchema(settingsSchema, { io: 'input' })),
    }
  }
  const change = async (path: readonly string[], value: unknown): Promise<void> => {
    const [section = ''] = path
    const name = path.join('.')
    if (!SECTIONS.has(section)) {
      throw new StewardError('invalid_input', { subject: name, reason: 'is not a setting' })
    }
    const key = path.at(-1) ?? ''
    try {
      if (value === undefined) await resetSetting(home, path)
      else await changeSettings(home, path.slice(0, -1), { [key]: value })
    } catch (thrown) {
      if (!(thrown instanceof StewardError) || thrown.code !== 'invalid_definition') throw thrown
      const { issues } = thrown.details
      const reason = String(thrown.details.reason).replaceAll(/(^|; )line \d+: /g, '$1')
      throw new StewardError('invalid_input', { subject: name, reason, issues }, thrown)
    }
  }
  const disconnect = async (host: HostName): Promise<string> => {
    const path = hostFile(host, place)
    const before = readIfThere(path)
    const plan = planUninstall(host, path, before, await readInstalled(home, path))
    if (plan.before === plan.after) return `${path} has no hooks of Steward`
    await applyUninstall(home, plan)
    const setup = await ASSISTANTS[host].loadSetup?.()
    await setup?.afterUninstall?.(place)
    return plan.after === undefined ? `removed ${path}, which Steward created` : `restored ${path}`
  }
  const tellPages = () => bus.publish('live.changed', { topics: ['settings', 'security'] })

  return {
    name: 'setup',
    handlers: [
      handle(API.getSettings, read),
      handle(API.changeSetting, async ({ body }) => {
        await change(body.path, body.value)
        tellPages()
        return read()
      }),
      handle(API.connectAssistant, async ({ params }) => {
        const done = await repairHooks(params.host, place, installation)
        tellPages()
        return { done }
      }),
      handle(API.disconnectAssistant, async ({ params }) => {
        const done = await disconnect(params.host)
        tellPages()
        return { done }
      }),
    ],
    health: () => ({ status: 'ok' }),
  }
}
