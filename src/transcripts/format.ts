import type { Json, JsonObject } from '../domain/json.ts'
import type { Draft } from './draft.ts'
import type { UsageParts } from './usage.ts'

/** The format of a coding agent: how its files are named, and what their lines mean. */
export interface TranscriptFormat {
  /** Chatmode of the sessions, and the prefix of custom types: `x.<name>.…`. */
  readonly name: string
  /** Name of the program, for people. */
  readonly title: string
  /** Where the program writes them, for people. */
  readonly folder: string
  /** Active agent of the sessions. */
  readonly agent: string
  /** Tools whose calls start sub-agents. */
  readonly agentTools: ReadonlySet<string>
  /** Whether the usage of a response follows it in a line of its own. */
  readonly hasLateUsage: boolean
  parseName(path: string): TranscriptName
  /** Whether a line belongs to this format, in a file of any name. */
  isEntry(value: JsonObject): boolean
  /** Assigns the lines of a file to sessions. */
  newSorter(name: TranscriptName): LineSorter
  /** @param conversationId the session of the file, or the one its sub-agent works for */
  newTranslator(conversationId: string): LineTranslator
  /** @param key the session within the file */
  identify(name: TranscriptName, facts: Facts, key: string): SessionIdentity
  /** Finds what started the session of a sub-agent. */
  findOrigin(path: string, identity: SessionIdentity): Promise<AgentOrigin>
  /** Returns a command that the user typed, for the task of the session. */
  parseCommand?(text: string): string | undefined
}

/** Facts from the path of a transcript. */
export interface TranscriptName {
  /** File name without folders. */
  readonly file: string
  /** The session of the file, or the one its sub-agent works for; absent if only the lines know it. */
  readonly sessionId?: string
  /** The file's sub-agent. */
  readonly agentId?: string
  /** Session id if nothing else names one. */
  readonly fallback: string
}

/** The session itself, among the sessions of a file. */
export const MAIN = ''

/** Assigns lines to sessions. Uses a line and those before it only, so later lines change nothing. */
export interface LineSorter {
  /** Whether the line must be parsed to know its session; others belong to the session itself. */
  needs(text: string): boolean
  sessionOf(value: Json, line: number): string
}

/** Ids of a session. */
export interface SessionIdentity {
  readonly sessionId: string
  readonly conversationId: string
  /** Present in the session of a sub-agent. */
  readonly agentId?: string
  /** The session that started the sub-agent. */
  readonly parentId?: string
}

/** What a transcript says about the start of a sub-agent. */
export interface AgentOrigin {
  readonly parentId: string
  /** Transcript of the parent, if it was found. */
  readonly parentPath?: string
  /** Id of the tool call. */
  readonly callId?: string
}

/** Facts about a session; the first value of each counts. */
export type Facts = Partial<Record<IdentityFact | MetadataFact | 'gitBranch', string>>

/** Facts that make ids. */
export type IdentityFact = 'sessionId' | 'rootId' | 'parentId'

/** Facts that become metadata, in this order. */
export const METADATA_FACTS = [
  'cwd',
  'version',
  'slug',
  'entrypoint',
  'originator',
  'agentName',
  'agentRole',
  'forkedFrom',
] as const

/** One of {@link METADATA_FACTS}. */
export type MetadataFact = (typeof METADATA_FACTS)[number]

/** Translates the lines of one session, in order. */
export interface LineTranslator {
  translate(value: Json, line: number): Translation
}

/** What a line means. */
export interface Translation {
  /** At least one. */
  readonly drafts: readonly Draft[]
  readonly facts?: Facts
  /** Usage of the response before this line. */
  readonly usage?: UsageParts
  /** The response before this line is over, with or without its usage. */
  readonly endsResponse?: boolean
  /** A tool call and the sub-agent it started. */
  readonly started?: { readonly callId: string; readonly agentId: string }
}
