import type { ProviderChoice } from '@steward/models'
import type { Connection } from './connect.ts'
import type { HostedHome } from './hosted-home.ts'

/** The model that a first agent gets: what `LLM_*` says here, and on the vendor's servers one of theirs. */
export const chooseModel = async (
  { environment }: HostedHome,
  { kind, client }: Pick<Connection, 'kind' | 'client'>,
): Promise<ProviderChoice> => {
  const { chooseProvider, readModelEnvironment } = await import('@steward/models')
  const read = readModelEnvironment(environment)
  if (!read.ok) throw read.error
  const wanted =
    kind === 'vendor'
      ? { ...read.value, provider: 'anthropic' as const, apiKey: client.apiKey ?? undefined }
      : read.value
  const choice = await chooseProvider(wanted, { fetch })
  if (!choice.ok) throw choice.error
  return choice.value
}
