import type * as contract from '@steward/contract'
import { describe, expectTypeOf, it } from 'vitest'
import type * as copied from '../../../types/action.v2.d.ts'

/** These fail in the type check: the declarations that people copy must match the contract. */
describe('types/action.v2.d.ts', () => {
  it('has the same shapes as the contract', () => {
    expectTypeOf<copied.Fields>().toEqualTypeOf<contract.JsonObject>()
    expectTypeOf<copied.LlmOptions>().toEqualTypeOf<contract.LlmOptions>()
    expectTypeOf<copied.LlmAnswer>().toEqualTypeOf<contract.LlmAnswer>()
    expectTypeOf<copied.ShellOptions>().toEqualTypeOf<contract.ShellOptions>()
    expectTypeOf<copied.ShellResult>().toEqualTypeOf<contract.ShellResult>()
    expectTypeOf<copied.FetchInit>().toEqualTypeOf<contract.FetchInit>()
    expectTypeOf<copied.CapabilitiesV2>().toEqualTypeOf<contract.CapabilitiesV2>()
    expectTypeOf<copied.ActionContextV2>().toEqualTypeOf<contract.ActionContextV2>()
    expectTypeOf<copied.ExecuteV2>().toEqualTypeOf<contract.ExecuteV2>()
  })
})
