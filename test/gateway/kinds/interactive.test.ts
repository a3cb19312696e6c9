import { expect } from 'chai';
import type { InteractiveExtra } from '../../../src/contract/events/extras.js';
import type { SendPayload } from '../../../src/contract/sends/send-request.js';
import { readContext } from '../../../src/gateway/kinds/context-info.js';
import { readContent } from '../../../src/gateway/kinds/index.js';
import { interactive } from '../../../src/gateway/kinds/interactive.js';
import type { Content } from '../../../src/gateway/kinds/kind.js';
import { CONTEXT, overTheWire } from './support/wire.js';

const TO_BOB = { clientId: 'acme', to: '+15550000002', bodyText: 'Are you coming?' };

function validate(buttons: unknown[]) {
  const schema = interactive.send?.payload;
  return schema?.validate(
    { ...TO_BOB, buttons },
    { convert: false, abortEarly: false, errors: { wrap: { label: false } } },
  );
}

async function sent(buttons: unknown[]): Promise<Content> {
  const payload: SendPayload = validate(buttons)?.value;
  const composed = interactive.send?.compose(payload, CONTEXT);
  if (!composed) throw new Error('buttons cannot be sent');
  return overTheWire(composed);
}

describe('buttons', () => {
  const buttons = [
    { type: 'quick_reply', displayText: 'Yes', id: 'yes' },
    { type: 'cta_url', displayText: 'Menu', url: 'https://example.com/Menü?day={day}' },
    { type: 'cta_call', displayText: 'Call us', phoneNumber: '15550000001' },
    { type: 'cta_copy', displayText: 'Copy', id: 'code', copyCode: 'LUNCH-10' },
  ];

  it('buttons are composed in the form of the protocol', async () => {
    const content = await sent(buttons);
    const message = content.viewOnceMessage?.message;
    expect(message?.messageContextInfo).to.have.property('deviceListMetadata').that.is.an('object');
    expect(message?.messageContextInfo).to.have.property('deviceListMetadataVersion', 2);
    const flow = message?.interactiveMessage?.nativeFlowMessage;
    expect(flow?.messageVersion).to.equal(1);
    const parts = flow?.buttons?.map(({ name, buttonParamsJson }) => [
      name,
      JSON.parse(buttonParamsJson ?? ''),
    ]);
    expect(parts).to.deep.equal([
      ['quick_reply', { display_text: 'Yes', id: 'yes' }],
      [
        'cta_url',
        {
          display_text: 'Menu',
          url: 'https://example.com/Menü?day={day}',
          merchant_url: 'https://example.com/Menü?day={day}',
        },
      ],
      ['cta_call', { display_text: 'Call us', phone_number: '+15550000001' }],
      ['cta_copy', { display_text: 'Copy', id: 'code', copy_code: 'LUNCH-10' }],
    ]);
  });

  it('buttons are not view-once, although their wrapper is', async () => {
    expect(readContent(await sent(buttons)).reading).to.deep.equal({
      type: 'text',
      body: 'Are you coming?',
      extra: {
        buttons: [...buttons.slice(0, 2), { ...buttons[2], phoneNumber: '+15550000001' }, buttons[3]],
      },
    });
  });

  const refused: [string, object, string][] = [
    [
      'an unknown type',
      { type: 'list', displayText: 'x' },
      'buttons[0].type must be one of [quick_reply, cta_url, cta_call, cta_copy]',
    ],
    ['no type', { displayText: 'x', id: 'x' }, 'buttons[0].type is required'],
    ['no label', { type: 'quick_reply', id: 'yes' }, 'buttons[0].displayText is required'],
    [
      'a blank label',
      { type: 'quick_reply', id: 'yes', displayText: ' ' },
      'buttons[0].displayText must not be blank',
    ],
    ['no id', { type: 'quick_reply', displayText: 'Yes' }, 'buttons[0].id is required'],
    [
      'a field of another type',
      { type: 'quick_reply', displayText: 'Yes', id: 'yes', url: 'https://example.com' },
      'buttons[0].url is not allowed',
    ],
    ['no address', { type: 'cta_url', displayText: 'Menu' }, 'buttons[0].url is required'],
    [
      'an address without http',
      { type: 'cta_url', displayText: 'Menu', url: 'javascript:alert(1)' },
      'buttons[0].url must be an absolute http(s) URL',
    ],
    [
      'an invalid phone number',
      { type: 'cta_call', displayText: 'Call', phoneNumber: '0155' },
      'buttons[0].phoneNumber must be 5 to 15 digits, the country code first',
    ],
    ['no code', { type: 'cta_copy', displayText: 'Copy', id: 'code' }, 'buttons[0].copyCode is required'],
  ];
  for (const [what, button, message] of refused) {
    it(`buttons are refused with ${what}`, () => {
      expect(validate([button])?.error?.message).to.equal(message);
    });
  }
});

describe('the reader of texts with buttons', () => {
  const readings: [string, Content][] = [
    [
      'native buttons with a title',
      {
        interactiveMessage: {
          header: { title: 'Order 42' },
          body: { text: 'is ready' },
          footer: { text: 'Thank you' },
        },
      },
    ],
    [
      'cards',
      {
        interactiveMessage: {
          body: { text: 'Order 42' },
          carouselMessage: { cards: [{ body: { text: 'is ready' } }, { body: { text: 'Thank you' } }] },
        },
      },
    ],
    [
      'buttons of the old kind',
      { buttonsMessage: { text: 'Order 42', contentText: 'is ready', footerText: 'Thank you' } },
    ],
    ['a list', { listMessage: { title: 'Order 42', description: 'is ready', footerText: 'Thank you' } }],
    [
      'a template',
      {
        templateMessage: {
          hydratedTemplate: {
            hydratedTitleText: 'Order 42',
            hydratedContentText: 'is ready',
            hydratedFooterText: 'Thank you',
          },
        },
      },
    ],
    [
      'a template of native buttons',
      {
        templateMessage: {
          interactiveMessageTemplate: {
            body: { text: 'Order 42\nis ready' },
            footer: { text: 'Thank you' },
          },
        },
      },
    ],
  ];
  for (const [what, content] of readings) {
    it(`shows ${what} line by line`, () => {
      const { kind, reading } = readContent(content);
      expect(reading).to.deep.equal({ type: 'text', body: 'Order 42\nis ready\nThank you' });
      expect(kind?.storedType).to.equal('interactive');
    });
  }

  it('shows the rows of a list, in either form of lists', () => {
    const legacy: Content = {
      listMessage: {
        description: 'Lunch?',
        buttonText: 'Menu',
        sections: [{ title: 'Warm', rows: [{ rowId: 'soup', title: 'Soup' }] }],
      },
    };
    const native = (buttonParamsJson: string): Content => ({
      interactiveMessage: {
        body: { text: 'Lunch?' },
        nativeFlowMessage: { buttons: [{ name: 'single_select', buttonParamsJson }] },
      },
    });
    const params = { title: 'Menu', sections: [{ title: 'Warm', rows: [{ id: 'soup', title: 'Soup' }] }] };
    const rows = [{ id: 'soup', title: 'Soup', description: '' }];
    const list = { buttonText: 'Menu', sections: [{ title: 'Warm', rows }] };
    for (const content of [legacy, native(JSON.stringify(params))]) {
      const { kind, reading } = readContent(content);
      expect(reading).to.deep.equal({ type: 'text', body: 'Lunch?', extra: { list } });
      expect(kind?.storedType).to.equal('interactive');
    }
    for (const broken of ['{"title":', '{"sections":7}', '[]', '{"sections":[{"rows":["x"]}]}', '{}']) {
      expect(readContent(native(broken)).reading).to.deep.equal({ type: 'text', body: 'Lunch?' });
    }
  });

  it('shows the buttons of any form, and omits those without a label', () => {
    const call = { type: 'cta_call', displayText: 'Call us', phoneNumber: '+15550000001' };
    const yes = { type: 'quick_reply', displayText: 'Yes', id: 'yes' };
    const menu = { type: 'cta_url', displayText: 'Menu', url: 'https://example.com/' };
    const text = { text: 'Coming?' };
    const native = (name: string, buttonParamsJson: string) => ({ name, buttonParamsJson });
    const flow = {
      buttons: [
        native('quick_reply', '{"display_text":"Yes","id":"yes","more":1}'),
        native('cta_url', '{"display_text":"Menu","url":"https://example.com/"}'),
        native('cta_call', '{"display_text":"Call us","phone_number":"+15550000001"}'),
        native('quick_reply', '{"display_text":7}'),
        native('quick_reply', '{"display_text":" "}'),
        native('quick_reply', '['),
        native('review_and_pay', '{"display_text":"Pay"}'),
      ],
    };
    const hydratedButtons = [
      { quickReplyButton: { displayText: 'Yes', id: 'yes' } },
      { urlButton: { displayText: 'Menu', url: 'https://example.com/' } },
      { callButton: { displayText: 'Call us', phoneNumber: '+15550000001' } },
      {},
    ];
    const contents: [Content, object[]][] = [
      [{ interactiveMessage: { body: text, nativeFlowMessage: flow } }, [yes, menu, call]],
      [
        {
          interactiveMessage: {
            body: text,
            carouselMessage: { cards: [{ nativeFlowMessage: flow }, { nativeFlowMessage: flow }] },
          },
        },
        [yes, menu, call, yes, menu, call],
      ],
      [
        {
          buttonsMessage: {
            contentText: 'Coming?',
            buttons: [{ buttonId: 'yes', buttonText: { displayText: 'Yes' } }, {}],
          },
        },
        [yes],
      ],
      [
        { templateMessage: { hydratedTemplate: { hydratedContentText: 'Coming?', hydratedButtons } } },
        [yes, menu, call],
      ],
      [
        { templateMessage: { interactiveMessageTemplate: { body: text, nativeFlowMessage: flow } } },
        [yes, menu, call],
      ],
    ];
    for (const [content, buttons] of contents) {
      expect(readContent(content).reading.extra, JSON.stringify(content)).to.deep.equal({ buttons });
    }
  });

  it('shows the name of the kind when the message has no text', () => {
    expect(readContent({ interactiveMessage: { body: { text: '' } } }).reading.body).to.equal(
      '[interactive]',
    );
  });
});

describe('the reader of taps', () => {
  const contextInfo = { stanzaId: 'ASKED', participant: '90000000000001@lid' };
  const native = (name: string, paramsJson: string, text: string): Content => ({
    interactiveResponseMessage: {
      body: { text },
      nativeFlowResponseMessage: { name, paramsJson, version: 3 },
      contextInfo,
    },
  });
  const tap = (id: string, displayText: string, kind: InteractiveExtra['kind'] = 'button') => ({
    kind,
    id,
    displayText,
    targetId: 'ASKED',
  });
  const readings: [string, Content, InteractiveExtra][] = [
    ['on a native button', native('quick_reply', '{"id":"yes"}', 'Yes'), tap('yes', 'Yes')],
    ['on a row of a native list', native('menu_options', '{"id":"r1"}', 'Soup'), tap('r1', 'Soup', 'list')],
    ['with a number for an id', native('quick_reply', '{"id":7}', 'Yes'), tap('7', 'Yes')],
    ['without an id', native('flow', '{"answer":"x"}', 'Sent'), tap('', 'Sent')],
    ['with malformed JSON', native('quick_reply', '{"id":', 'Yes'), tap('', 'Yes')],
    ['with JSON that is not an object', native('quick_reply', 'null', 'Yes'), tap('', 'Yes')],
    ['without a label', native('quick_reply', '{"id":"yes"}', ''), tap('yes', 'yes')],
    [
      'on a button of the old kind',
      { buttonsResponseMessage: { selectedButtonId: 'yes', selectedDisplayText: 'Yes', contextInfo } },
      tap('yes', 'Yes'),
    ],
    [
      'on a button of a template',
      { templateButtonReplyMessage: { selectedId: 'yes', selectedDisplayText: 'Yes', contextInfo } },
      tap('yes', 'Yes'),
    ],
    [
      'on a row of a list',
      {
        listResponseMessage: {
          title: 'Soup',
          singleSelectReply: { selectedRowId: 'r1' },
          contextInfo,
        },
      },
      tap('r1', 'Soup', 'list'),
    ],
  ];
  for (const [what, content, extra] of readings) {
    it(`returns the choice and the message of a tap ${what}`, () => {
      const { kind, reading } = readContent(content);
      expect(reading).to.deep.equal({
        type: 'interactive_reply',
        body: extra.displayText,
        extra: { interactive: extra },
      });
      expect(kind?.storedType).to.equal('interactive_reply');
      expect(readContext(content, () => reading).quoted?.messageId).to.equal('ASKED');
    });
  }
});
