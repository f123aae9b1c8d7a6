import type Anthropic from '@anthropic-ai/sdk'

/** The official client's types, under our names. */
export type HostedClient = Anthropic
export type Agent = Anthropic.Beta.BetaManagedAgentsAgent
export type Environment = Anthropic.Beta.BetaEnvironment
export type Session = Anthropic.Beta.BetaManagedAgentsSession
export type LoggedEvent = Anthropic.Beta.Sessions.BetaManagedAgentsSessionEvent
export type StreamedEvent = Anthropic.Beta.Sessions.BetaManagedAgentsStreamSessionEvents
export type GivenEvent = Anthropic.Beta.Sessions.BetaManagedAgentsEventParams
export type EventKind = Anthropic.Beta.Sessions.BetaManagedAgentsSessionEventType
export type NewAgent = Anthropic.Beta.AgentCreateParams
export type AgentChange = Anthropic.Beta.AgentUpdateParams
export type NewEnvironment = Anthropic.Beta.EnvironmentCreateParams
export type EnvironmentChange = Anthropic.Beta.EnvironmentUpdateParams
export type NewSession = Anthropic.Beta.SessionCreateParams
export type SessionChange = Anthropic.Beta.SessionUpdateParams
