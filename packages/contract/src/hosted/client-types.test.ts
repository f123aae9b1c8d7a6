import type { Anthropic as Newest } from '@anthropic-ai/sdk'
import type { Anthropic as Oldest } from '@anthropic-ai/sdk-0.95'
import type { Anthropic as Middle } from '@anthropic-ai/sdk-0.137'
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { ClientEvent } from './client-events.ts'
import type { HostedEvent, StreamEvent } from './events.ts'
import type { HOSTED_API, HostedOperation } from './routes/index.ts'

// These tests run in the compiler: a schema that drifts from a client's type is a type error.

/** Compiles only if our type is assignable to theirs; the compiler error shows where it is not. */
type Fits<Theirs, Ours extends Theirs> = [Ours] extends [Theirs] ? true : false

type Call = (...args: never[]) => unknown
type Answer<C extends Call> = Awaited<ReturnType<C>>
type Items<C extends Call> = Answer<C> extends { data: infer Data } ? { data: Data } : never

interface AnswersOf<C extends Newest | Middle | Oldest> {
  createAgent: Answer<C['beta']['agents']['create']>
  listAgents: Items<C['beta']['agents']['list']>
  getAgent: Answer<C['beta']['agents']['retrieve']>
  updateAgent: Answer<C['beta']['agents']['update']>
  archiveAgent: Answer<C['beta']['agents']['archive']>
  listAgentVersions: Items<C['beta']['agents']['versions']['list']>
  createEnvironment: Answer<C['beta']['environments']['create']>
  listEnvironments: Items<C['beta']['environments']['list']>
  deleteEnvironment: Answer<C['beta']['environments']['delete']>
  archiveEnvironment: Answer<C['beta']['environments']['archive']>
  createSession: Answer<C['beta']['sessions']['create']>
  listSessions: Items<C['beta']['sessions']['list']>
  updateSession: Answer<C['beta']['sessions']['update']>
  archiveSession: Answer<C['beta']['sessions']['archive']>
  deleteSession: Answer<C['beta']['sessions']['delete']>
  listEvents: Items<C['beta']['sessions']['events']['list']>
  sendEvents: Answer<C['beta']['sessions']['events']['send']>
  listThreads: Items<C['beta']['sessions']['threads']['list']>
  getThread: Answer<C['beta']['sessions']['threads']['retrieve']>
  listThreadEvents: Items<C['beta']['sessions']['threads']['events']['list']>
  listResources: Items<C['beta']['sessions']['resources']['list']>
  getResource: Answer<C['beta']['sessions']['resources']['retrieve']>
  deleteResource: Answer<C['beta']['sessions']['resources']['delete']>
  uploadFile: Answer<C['beta']['files']['upload']>
  listFiles: Items<C['beta']['files']['list']>
  deleteFile: Answer<C['beta']['files']['delete']>
  createSkill: Answer<C['beta']['skills']['create']>
  listSkills: Items<C['beta']['skills']['list']>
  deleteSkill: Answer<C['beta']['skills']['delete']>
  createSkillVersion: Answer<C['beta']['skills']['versions']['create']>
  listSkillVersions: Items<C['beta']['skills']['versions']['list']>
  deleteSkillVersion: Answer<C['beta']['skills']['versions']['delete']>
  createMemoryStore: Answer<C['beta']['memoryStores']['create']>
  listMemoryStores: Items<C['beta']['memoryStores']['list']>
  deleteMemoryStore: Answer<C['beta']['memoryStores']['delete']>
  createMemory: Answer<C['beta']['memoryStores']['memories']['create']>
  listMemories: Items<C['beta']['memoryStores']['memories']['list']>
  deleteMemory: Answer<C['beta']['memoryStores']['memories']['delete']>
  listMemoryVersions: Items<C['beta']['memoryStores']['memoryVersions']['list']>
  redactMemoryVersion: Answer<C['beta']['memoryStores']['memoryVersions']['redact']>
  listModels: Items<C['beta']['models']['list']>
  getModel: Answer<C['beta']['models']['retrieve']>
  createVault: Answer<C['beta']['vaults']['create']>
  listVaults: Items<C['beta']['vaults']['list']>
  deleteVault: Answer<C['beta']['vaults']['delete']>
  createCredential: Answer<C['beta']['vaults']['credentials']['create']>
  listCredentials: Items<C['beta']['vaults']['credentials']['list']>
  deleteCredential: Answer<C['beta']['vaults']['credentials']['delete']>
}

/** Answers that the oldest client does not know. */
interface NewerAnswersOf<C extends Newest | Middle> extends AnswersOf<C> {
  createDeployment: Answer<C['beta']['deployments']['create']>
  listDeployments: Items<C['beta']['deployments']['list']>
  runDeployment: Answer<C['beta']['deployments']['run']>
  listDeploymentRuns: Items<C['beta']['deploymentRuns']['list']>
  validateCredential: Answer<C['beta']['vaults']['credentials']['mcpOAuthValidate']>
  listWork: Items<C['beta']['environments']['work']['list']>
  pollWork: Answer<C['beta']['environments']['work']['poll']>
  ackWork: Answer<C['beta']['environments']['work']['ack']>
  updateWork: Answer<C['beta']['environments']['work']['update']>
  heartbeatWork: Answer<C['beta']['environments']['work']['heartbeat']>
  stopWork: Answer<C['beta']['environments']['work']['stop']>
  getWorkStats: Answer<C['beta']['environments']['work']['stats']>
}

type OutputOf<Shape> = Shape extends z.ZodType ? z.output<Shape> : never
type Ours<Names extends HostedOperation> = {
  [Name in Names]: OutputOf<(typeof HOSTED_API)[Name]['answer']>
}

/**
 * Our types restricted to what an older client knows: it passes union members that were added later
 * to its caller unchanged, so those are left out.
 */
type Known<O, T> = O extends readonly (infer Each)[]
  ? NonNullable<T> extends readonly (infer Other)[]
    ? Known<Each, Other>[]
    : O
  : O extends { type: infer Type }
    ? KnownMember<O, MemberOf<NonNullable<T>, Type>>
    : O extends object
      ? KnownFields<O, NonNullable<T>>
      : O
type MemberOf<T, Type> = T extends { type?: Type } ? T : never
type KnownMember<O, T> = [T] extends [never] ? never : KnownFields<O, T>
type KnownFields<O, T> = { [K in keyof O]: K extends keyof T ? Known<O[K], T[K]> : O[K] }

test('our answers fit the types of every client version', () => {
  type All = keyof NewerAnswersOf<Newest>
  expectTypeOf<Fits<NewerAnswersOf<Newest>, Ours<All>>>().toEqualTypeOf<true>()
  type OfMiddle = NewerAnswersOf<Middle>
  expectTypeOf<Fits<OfMiddle, KnownFields<Ours<All>, OfMiddle>>>().toEqualTypeOf<true>()
  type Theirs = Omit<
    AnswersOf<Oldest>,
    'createEnvironment' | 'listEnvironments' | 'archiveEnvironment' | 'createSkill' | 'listSkills'
  >
  expectTypeOf<Fits<Theirs, KnownFields<Ours<keyof Theirs>, Theirs>>>().toEqualTypeOf<true>()
  // The oldest client types the source of a skill as a string; the vendor returns an object now.
  type Skill = AnswersOf<Oldest>['createSkill']
  type OurSkill = Ours<'createSkill'>['createSkill']
  expectTypeOf<
    Fits<Omit<Skill, 'source'>, Omit<Known<OurSkill, Skill>, 'source'>>
  >().toEqualTypeOf<true>()
  // The oldest client types the description as a string; the vendor has since also returned null.
  type Environment = AnswersOf<Oldest>['createEnvironment']
  type OurEnvironment = Ours<'createEnvironment'>['createEnvironment']
  expectTypeOf<
    Fits<Omit<Environment, 'description'>, Omit<Known<OurEnvironment, Environment>, 'description'>>
  >().toEqualTypeOf<true>()
})

type EventOf<C extends Newest | Middle | Oldest> =
  AnswersOf<C>['listEvents']['data'] extends (infer Event)[] ? Event : never
type Streamed<C extends Newest | Middle> =
  Answer<C['beta']['sessions']['events']['stream']> extends AsyncIterable<infer Event>
    ? Event
    : never
type TypeOf<Event> = Event extends { type: infer Type } ? Type : never

test('covers exactly the events that a client knows', () => {
  expectTypeOf<HostedEvent['type']>().toEqualTypeOf<TypeOf<EventOf<Newest>>>()
  expectTypeOf<StreamEvent['type']>().toEqualTypeOf<TypeOf<Streamed<Newest>>>()
  expectTypeOf<Known<HostedEvent, EventOf<Oldest>>['type']>().toEqualTypeOf<
    TypeOf<EventOf<Oldest>>
  >()
  expectTypeOf<Fits<Streamed<Newest>, StreamEvent>>().toEqualTypeOf<true>()
})

type Body<Name extends HostedOperation> = (typeof HOSTED_API)[Name] extends { body: infer Shape }
  ? Shape extends z.ZodType
    ? z.input<Shape>
    : never
  : never
/** A call's parameters without those sent in headers and in the path. */
type Sent<Params, Left extends string = never> = Omit<
  NonNullable<Params>,
  'betas' | 'workspace_id' | 'vault_id' | 'session_id' | Left
>
/** Not supported here; refused with a reason. */
type NotHere = 'multiagent' | 'execution_identity'
type Of<C extends Newest | Middle | Oldest> = C['beta']
type Second<C extends Call> = Parameters<C>[1]

/**
 * Converts interfaces to object types, because only those are assignable to types with additional
 * keys.
 */
type Plain<T> = T extends string ? T : T extends object ? { [K in keyof T]: Plain<T[K]> } : T

interface SentBy<C extends Newest | Middle | Oldest> {
  createAgent: Sent<Parameters<Of<C>['agents']['create']>[0], NotHere>
  updateAgent: Sent<Second<Of<C>['agents']['update']>, NotHere>
  createEnvironment: Sent<Parameters<Of<C>['environments']['create']>[0], 'scope'>
  updateEnvironment: Sent<Second<Of<C>['environments']['update']>, 'scope'>
  updateSession: Sent<Second<Of<C>['sessions']['update']>>
  createSession: Sent<Parameters<Of<C>['sessions']['create']>[0], 'resources'>
  addResource: Sent<Second<Of<C>['sessions']['resources']['add']>>
  updateResource: Sent<Second<Of<C>['sessions']['resources']['update']>>
  createVault: Sent<Parameters<Of<C>['vaults']['create']>[0]>
  updateVault: Sent<Second<Of<C>['vaults']['update']>>
  createCredential: Sent<Second<Of<C>['vaults']['credentials']['create']>>
  updateCredential: Sent<Second<Of<C>['vaults']['credentials']['update']>>
}
type Bodies<Names extends HostedOperation> = { [Name in Names]: Body<Name> }
type Taken = Bodies<keyof SentBy<Newest>>

test('we accept requests of every client version', () => {
  expectTypeOf<Fits<Taken, SentBy<Newest>>>().toEqualTypeOf<true>()
  expectTypeOf<Fits<Taken, SentBy<Middle>>>().toEqualTypeOf<true>()
  expectTypeOf<Fits<Taken, Plain<SentBy<Oldest>>>>().toEqualTypeOf<true>()
  type Events<C extends Newest | Middle | Oldest> = Second<
    Of<C>['sessions']['events']['send']
  >['events'][number]
  type Input = Body<'sendEvents'>['events'][number]
  expectTypeOf<Fits<Input, Events<Newest>>>().toEqualTypeOf<true>()
  expectTypeOf<Fits<Input, Events<Oldest>>>().toEqualTypeOf<true>()
  expectTypeOf<Events<Newest>['type']>().toEqualTypeOf<ClientEvent['type']>()
})
