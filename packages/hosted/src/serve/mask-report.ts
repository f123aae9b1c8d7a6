import { StewardError } from '@steward/contract'
import { createEnvironment, createRedactor, secretsOf } from '@steward/platform'
import type { StartHostedOptions } from './hosted-options.ts'

/** Reports errors without secrets: those of the environment and the store, and what looks like one. */
export const maskReport = ({
  env,
  databaseUrl = '',
  report,
}: Pick<StartHostedOptions, 'env' | 'databaseUrl' | 'report'>): StartHostedOptions['report'] => {
  const environment = createEnvironment(env, {})
  const { redactText } = createRedactor(secretsOf({ ...environment, '--db': databaseUrl }))
  return ({ code, message, details, cause }, where) =>
    report(
      StewardError.restore(code, redactText(message).value, details, cause),
      where === undefined ? undefined : redactText(where).value,
    )
}
