import {
  type ActionContextV2,
  type CapabilitiesV2,
  type CapabilityName,
  StewardError,
} from '@steward/contract'

/** A declared capability, or an error that names the action and the capability. */
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
