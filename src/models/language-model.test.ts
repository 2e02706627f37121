import type { LanguageModel as AiModel } from 'ai'
import type { MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { LanguageModel, ModelAnswer, ModelCall } from '../ports/model.ts'
import { createClassifier } from './classifier.ts'
import { createSummarizer } from './summarizer.ts'

/** The objects that the AI SDK takes as models, by the version of their interface. */
type AiModelOf<Version> = Extract<AiModel, { specificationVersion: Version }>

describe('a language model of the AI SDK', () => {
  it('is one of ours, whatever its version', () => {
    expectTypeOf<Exclude<AiModel, string>>().toExtend<LanguageModel>()
    expectTypeOf<Exclude<AiModel, string>['specificationVersion']>().toEqualTypeOf<
      LanguageModel['specificationVersion']
    >()
    expectTypeOf<MockLanguageModelV3>().toExtend<LanguageModel>()
    expectTypeOf<MockLanguageModelV4>().toExtend<LanguageModel>()
  })

  // methods are compared loosely, so both ends of the call are compared by themselves
  it('accepts our calls and returns what we read, in each version', () => {
    expectTypeOf<ModelCall>().toExtend<Parameters<AiModelOf<'v2'>['doGenerate']>[0]>()
    expectTypeOf<ModelCall>().toExtend<Parameters<AiModelOf<'v3'>['doGenerate']>[0]>()
    expectTypeOf<ModelCall>().toExtend<Parameters<AiModelOf<'v4'>['doGenerate']>[0]>()
    expectTypeOf<Awaited<ReturnType<AiModelOf<'v2'>['doGenerate']>>>().toExtend<ModelAnswer>()
    expectTypeOf<Awaited<ReturnType<AiModelOf<'v3'>['doGenerate']>>>().toExtend<ModelAnswer>()
    expectTypeOf<Awaited<ReturnType<AiModelOf<'v4'>['doGenerate']>>>().toExtend<ModelAnswer>()
  })

  it('is refused where only its id is given, by the compiler too', () => {
    expectTypeOf<string>().not.toExtend<LanguageModel>()
    // @ts-expect-error an id is no model
    expect(() => createClassifier('openai/gpt-5')).toThrow('classify: must be a function or a language model')
    // @ts-expect-error an id is no model
    expect(() => createSummarizer('openai/gpt-5')).toThrow('summarize: must be a function or a language model')
  })

  it('is refused in the version of AI SDK 4, which calls differently', () => {
    const old = { specificationVersion: 'v1', provider: 'p', modelId: 'm', doGenerate: async () => ({ text: 'A' }) }
    // @ts-expect-error not a version we know
    expect(() => createClassifier(old)).toThrow(expect.objectContaining({ code: 'VALIDATION', field: 'classify' }))
  })

  it.each([null, 7, {}, { doGenerate: 'A' }])('is not %j', (choice) => {
    expect(() => createClassifier(choice as unknown as LanguageModel)).toThrow('classify: must be')
    expect(() => createSummarizer(choice as unknown as LanguageModel)).toThrow('summarize: must be')
  })
})
