import type { NewSessionResponse, SessionConfigOption } from '@agentclientprotocol/sdk'

export interface SessionModes {
  ids: readonly string[]
  /** The option that holds the mode, for assistants that have no modes of their own. */
  option?: string
}

/** The modes of a session: the protocol's own, or the choices of the option that stands for them. */
export const readModes = ({
  modes,
  configOptions,
}: Pick<NewSessionResponse, 'modes' | 'configOptions'>): SessionModes => {
  if (modes) return { ids: modes.availableModes.map(({ id }) => id) }
  const option = configOptions?.find(isMode)
  if (option?.type !== 'select') return { ids: [] }
  const ids = option.options.flatMap((each) =>
    'options' in each ? each.options.map(({ value }) => value) : [each.value],
  )
  return { ids, option: option.id }
}

const isMode = ({ type, category }: SessionConfigOption): boolean =>
  type === 'select' && category === 'mode'
