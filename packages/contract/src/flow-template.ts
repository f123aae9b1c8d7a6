import { z } from 'zod'

/** `template.json` of a flow that `steward new flow --template` writes. */
export const flowTemplate = z.strictObject({
  description: z.string().min(1).meta({ description: 'What the flow does, in one sentence.' }),
  flow: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The entry of the registry without id and name.' }),
  edit: z
    .array(
      z.strictObject({
        field: z.string().meta({ description: 'The field of the flow to edit.' }),
        example: z.unknown().meta({ description: 'What it could say.' }),
        why: z.string().meta({ description: 'What the change achieves.' }),
      }),
    )
    .meta({ description: 'What a person changes to use it on their own data.' }),
})
export type FlowTemplate = z.infer<typeof flowTemplate>
