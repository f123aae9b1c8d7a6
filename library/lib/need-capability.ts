import {
  type ActionContextV2,
  type CapabilitiesV2,
  type CapabilityName,
  StewardError,
} from '@steward/contract'

/** The capability an action declares, or an error that names both. */
export const needCapability = <Name extends CapabilityName>(
  { capabilities }: Pick<ActionContextV2, 'capabilities'>,
  action: string,
  name: Name,
): NonNullable<CapabilitiesV2[Name]> => {
  const capability = capabilities[name]
  if (capability === undefined) {
    throw new StewardError('capability_missing', {
      action,
      capability: name,
      reason: 'it was not handed; declare it in "requires" and run it where it can be provided',
    })
  }
  return capability
}
