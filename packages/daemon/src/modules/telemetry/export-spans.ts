import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { PLATFORM_VERSION } from '@steward/contract'
import type { SpanFacts } from './to-spans.ts'

export interface SpanExport {
  /** Rejects if the collector did not take them. */
  send: (spans: readonly SpanFacts[]) => Promise<void>
  close: () => Promise<void>
}

const TIMEOUT_MS = 10_000
const MS_PER_SECOND = 1000
const NANOS_PER_MS = 1_000_000

/** Sends finished spans to a collector. Loaded only if one is configured. */
export const openSpanExport = (url: string, headers: Record<string, string>): SpanExport => {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: TIMEOUT_MS })
  const resource = resourceFromAttributes({
    'service.name': 'steward',
    'service.version': PLATFORM_VERSION,
  })
  const toReadable = (span: SpanFacts): ReadableSpan => {
    const context = (spanId: string) => ({
      traceId: span.traceId,
      spanId,
      traceFlags: TraceFlags.SAMPLED,
    })
    const { error } = span
    return {
      name: span.name,
      kind: span.isClient ? SpanKind.CLIENT : SpanKind.INTERNAL,
      spanContext: () => context(span.spanId),
      ...(span.parentId === undefined ? {} : { parentSpanContext: context(span.parentId) }),
      startTime: timeOf(span.startMs),
      endTime: timeOf(span.endMs),
      duration: timeOf(span.endMs - span.startMs),
      status:
        error === undefined
          ? { code: SpanStatusCode.UNSET }
          : { code: SpanStatusCode.ERROR, message: error.message },
      attributes:
        error === undefined ? span.attributes : { ...span.attributes, 'error.type': error.code },
      links: [],
      events: [],
      ended: true,
      resource,
      instrumentationScope: { name: 'steward', version: PLATFORM_VERSION },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }
  return {
    send: (spans) =>
      new Promise((resolve, reject) => {
        exporter.export(spans.map(toReadable), ({ code, error }) => {
          if (code === SUCCESS) resolve()
          else reject(error ?? new Error('the collector refused the spans'))
        })
      }),
    close: () => exporter.shutdown(),
  }
}

/** `ExportResultCode.SUCCESS`. */
const SUCCESS = 0

const timeOf = (ms: number): [seconds: number, nanos: number] => [
  Math.floor(ms / MS_PER_SECOND),
  Math.round((ms % MS_PER_SECOND) * NANOS_PER_MS),
]
