import type { ActionContextV2 } from '@steward/contract'
import type { SentContext } from './host/messages.ts'

/** The part of an action's context that is sent to its host. */
export const sendContext = (context: ActionContextV2): SentContext => ({
  capabilities: Object.keys(context.capabilities),
  secrets: context.env.secrets.length === 0 ? {} : secretsFor(context),
  env: context.env,
  nowMs: context.now().getTime(),
  trace: context.trace,
  ...(context.pipeline === undefined ? {} : { pipeline: context.pipeline }),
})

const secretsFor = ({ env, secret }: ActionContextV2): SentContext['secrets'] =>
  Object.fromEntries(
    env.secrets.flatMap((name) => {
      const value = secret(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
